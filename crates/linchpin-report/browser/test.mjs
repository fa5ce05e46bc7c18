// Opens the pages of three failures of the zoo in Chromium, and does with them what people do: `node test.mjs DIRECTORY [SCREENSHOTS]`.
// Without a browser there is nothing to do, which is said and is no failure.

import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const [directory, screenshots] = process.argv.slice(2);
assert.ok(directory, "in which directory are the pages?");
if (!existsSync(executablePath)) {
  console.log(`skipped: there is no browser at ${executablePath}`);
  process.exit(0);
}
if (screenshots) mkdirSync(screenshots, { recursive: true });

const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
  ],
});

/// A page that fails the test by whatever it says to the console, and by whatever it asks of the network.
async function open(name, colorScheme = "light") {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1300, height: 900 } });
  const complaints = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(pathToFileURL(join(resolve(directory), `${name}.html`)).href);
  return {
    page,
    async close() {
      if (screenshots) await page.screenshot({ path: join(screenshots, `${name}-${colorScheme}.png`), fullPage: true });
      await page.close();
      assert.deepEqual(complaints, [], name);
    },
  };
}

/// The number of the row that is selected: what the diagram, its neighbour and the keyboard agree on.
async function selected(page) {
  const rows = await page.locator(".act.selected").evaluateAll((acts) => acts.map((act) => Number(act.dataset.row)));
  assert.equal(rows.length, 1, "one row is selected");
  const steps = await page.locator(".step:not([hidden])").evaluateAll((all) => all.map((step) => step.id));
  assert.deepEqual(steps, [`step-${rows[0]}`], "what is said is about the row that is selected");
  assert.equal(await page.locator(`#row-${rows[0]}`).getAttribute("aria-selected"), "true");
  return rows[0];
}

async function walks(page) {
  const count = await page.locator(".act").count();
  await page.locator("#row-0").focus();
  for (let row = 0; row < count; row += 1) {
    await page.keyboard.press("ArrowDown");
    assert.equal(await selected(page), row);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.row), String(row), "the keyboard follows");
  }
  await page.keyboard.press("ArrowDown");
  assert.equal(await selected(page), count - 1, "after the last row there is none");
  await page.keyboard.press("ArrowUp");
  assert.equal(await selected(page), count - 2);
  await page.keyboard.press("Home");
  assert.equal(await selected(page), 0);
  await page.keyboard.press("End");
  assert.equal(await selected(page), count - 1);
  await page.getByRole("button", { name: "First row" }).click();
  await page.getByRole("button", { name: "Next row" }).click();
  assert.equal(await selected(page), 1);
  await page.getByRole("option").nth(2).click();
  assert.equal(await selected(page), 2);
}

async function toggles(page) {
  await page.reload();
  for (const [name, relation] of [["reads from", "rf"], ["modification order", "mo"], ["conflicts", "conflict"]]) {
    const edges = page.locator(`#diagram .edge.${relation}`);
    const visible = () => edges.evaluateAll((all) => all.filter((edge) => getComputedStyle(edge).display !== "none").length);
    const all = await edges.count();
    assert.equal(await visible(), 0, `${name}: nothing is shown before it is asked for`);
    await page.getByLabel(name).check();
    assert.equal(await visible(), all, `${name}: all are shown`);
    await page.getByLabel(name).uncheck();
    assert.equal(await visible(), 0, `${name}: none is shown any more`);
  }
  assert.ok(await page.locator("#diagram .edge.rf").count() > 0);
}

/// The row that a button of the toolbar leads to, as a whole sentence.
async function found(page, button) {
  await page.getByRole("button", { name: button, exact: true }).click();
  return page.locator(`#row-${await selected(page)}`).getAttribute("aria-label");
}

async function everyNameIsSaid(page) {
  const silent = await page.locator("button, input, summary, [role=option], [role=img], [role=listbox]").evaluateAll((all) =>
    all.filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length)).length);
  assert.equal(silent, 0, "whatever can be used has a name");
  assert.equal(await page.locator("h1").count(), 1);
}

// A wrong outcome, with its cause.
{
  const { page, close } = await open("array-stack");
  await walks(page);
  await toggles(page);
  await everyNameIsSaid(page);
  assert.match(await found(page, "cause in t1"), /t1: B\.load.*array_stack\.rs:\d+, part of the cause/);
  assert.match(await page.locator("#steps mark:visible").textContent(), /\.load\(SeqCst\)/);
  // The read's source is a link to the row that wrote.
  await page.locator("#steps .step:visible a[data-goto]").click();
  assert.match(await page.locator(`#row-${await selected(page)}`).getAttribute("aria-label"), /B\.store\(1/);
  assert.equal(await page.locator("#cause mark").count(), 2);
  assert.match(await page.locator("#cause").textContent(), /verified/);
  assert.equal(await page.locator("#conflicts rect.cycle").count(), 2);
  assert.ok(await page.locator("#races .badge.bad").count() > 0, "some ends are wrong");
  await found(page, "cause in t2");
  await page.getByLabel("conflicts").check();
  await close();
}

// Locks.
{
  const { page, close } = await open("simple-list");
  await walks(page);
  await toggles(page);
  await everyNameIsSaid(page);
  await page.getByText("The same as a table").click();
  assert.equal(await page.locator("table.rows tbody tr").count(), await page.locator(".act").count());
  await close();
}

// Something else than a wrong outcome, in the dark.
{
  const { page, close } = await open("boxed-stack", "dark");
  await walks(page);
  await toggles(page);
  await everyNameIsSaid(page);
  assert.match(await found(page, "(1)"), /t1: frees the block/);
  assert.match(await found(page, "(2)"), /t2: B\.load.*boxed_stack\.rs/);
  const light = await (async () => {
    await page.emulateMedia({ colorScheme: "light" });
    const colour = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: "dark" });
    return colour;
  })();
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), light);
  await close();
}

// The index leads to each.
{
  const { page, close } = await open("index");
  assert.equal(await page.locator(".cards li").count(), 3);
  await page.getByRole("link", { name: "array-stack" }).click();
  assert.match(await page.locator("h1").textContent(), /no order of the invocations/);
  await page.getByRole("link", { name: "All failures" }).click();
  assert.match(await page.locator("h1").textContent(), /3 failures/);
  await close();
}

await browser.close();
console.log("the pages of three failures and their index work");
