'use strict';
(() => {
  const find = (id) => document.getElementById(id);
  const data = JSON.parse(find('data').textContent);
  const [scroll, picture, scene, lines, dots, details] = ['scroll', 'picture', 'scene', 'lines', 'points', 'details'].map(find);
  const POINT = 30; // from the top of a bar to the middle of a point

  // Operations as they are on the page, by their numbers in the data.
  const ops = [];
  for (const element of picture.querySelectorAll('.op')) {
    ops[Number(element.dataset.i)] = {
      element,
      label: element.dataset.label,
      x: Number(element.dataset.x),
      y: Number(element.dataset.y),
      width: Number(element.querySelector('.bar').dataset.w),
      text: element.querySelector('.label'),
      start: Number(element.querySelector('.label').getAttribute('x')),
      parts: element.querySelectorAll('.tag, .letter, .label'),
    };
  }

  let zoom = 1;
  let shown = null; // the order that is drawn
  let pinned = null; // the operation whose order stays
  let current = null; // the operation that is pointed at or focused

  // ---- Orders ----

  function draw(name, attributes, parent) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return parent.appendChild(element);
  }

  function badge(x, y, text, kind) {
    const group = draw('g', { class: kind, transform: `translate(${x} ${y})` }, dots);
    const width = 10 + 6 * text.length;
    if (kind === 'point') draw('rect', { x: -width / 2, y: -8, width, height: 16, rx: 8 }, group);
    else draw('circle', { r: 8 }, group);
    draw('text', { y: 3.5 }, group).textContent = text;
  }

  function drawOrder(order) {
    lines.replaceChildren();
    dots.replaceChildren();
    if (!order) return;
    const points = order.points.map(([op, x]) => [x * zoom, ops[op].y + POINT]);
    draw('polyline', { class: 'line', points: points.join(' ') }, lines);
    if (order.stuck !== null) {
      const op = ops[order.stuck];
      const end = [0, op.y + POINT];
      const last = points.at(-1) ?? [op.x * zoom, end[1]];
      end[0] = Math.max(Math.min(last[0] + 28, (op.x + op.width) * zoom - 10), op.x * zoom + 10);
      draw('line', { class: 'line to-stuck', x1: last[0], y1: last[1], x2: end[0], y2: end[1] }, lines);
      badge(...end, '✕', 'point stuck');
    }
    points.forEach(([x, y], i) => badge(x, y, String(i + 1), 'point'));
  }

  function showOrder(number) {
    if (number === shown) return;
    shown = number;
    const order = data.orders[number] ?? null;
    const inside = new Set(order?.points.map(([op]) => op));
    ops.forEach((op, i) => {
      op.element.classList.toggle('in-order', inside.has(i));
      op.element.classList.toggle('stuck', order?.stuck === i);
    });
    scene.classList.toggle('ordered', order !== null);
    drawOrder(order);
    listOrder(order);
  }

  const count = (n) => n.toLocaleString('en');
  const plural = (n) => `${count(n)} operation${n === 1 ? '' : 's'}`;
  const stuckAt = (order) => (order.stuck === null ? `operation #${order.stuckAt}` : ops[order.stuck].label);

  // The same order in words, below the picture.
  function listOrder(order) {
    find('list').hidden = order === null;
    if (!order) return;
    const notes = [];
    if (order.before > 0) notes.push(`After ${plural(order.before)} that are not shown.`);
    const rest = order.length - order.before - order.points.length;
    if (rest > 0) notes.push(`${plural(rest)} more, between or after these, are not shown.`);
    if (order.stuckAt !== null) notes.push(`Then it is stuck: ${stuckAt(order)} cannot come next.`);
    find('list-note').textContent = notes.join(' ');
    find('list-order').replaceChildren(...order.points.map(([op]) => {
      const item = document.createElement('li');
      item.append(Object.assign(document.createElement('code'), { textContent: ops[op].label }));
      return item;
    }));
  }

  // ---- What is pointed at ----

  function about(op) {
    const number = data.orderOf[op];
    if (number === null) return data.orders.length ? 'No order that was found contains it.' : '';
    const order = data.orders[number];
    const position = order.points.findIndex(([point]) => point === op) + 1;
    if (!position) return `An order of ${plural(order.length)} leads here; this one cannot come next.`;
    const length = order.before ? `${plural(order.length)}, ${count(order.before)} of them before these` : plural(order.length);
    if (order.stuckAt === null) return `Number ${position} in the order (${length}).`;
    return `Number ${position} in the longest order that contains it (${length}). That order is stuck at ${stuckAt(order)}.`;
  }

  function refresh() {
    const op = current ?? pinned;
    ops.forEach((each, i) => {
      each.element.classList.toggle('current', i === op);
      each.element.classList.toggle('pinned', i === pinned);
      each.element.setAttribute('aria-pressed', i === pinned);
    });
    showOrder(pinned !== null ? data.orderOf[pinned] : (op !== null ? data.orderOf[op] : null) ?? data.initial);
    details.classList.toggle('has', op !== null);
    if (op === null) {
      details.textContent = details.dataset.hint;
      return;
    }
    const head = document.createElement('span');
    const name = Object.assign(document.createElement('strong'), { textContent: ops[op].label });
    const rest = ops[op].element.getAttribute('aria-label').slice(ops[op].label.length);
    head.append(name, rest, pinned === op ? ' (pinned)' : '');
    const tail = Object.assign(document.createElement('span'), { textContent: about(op) });
    details.replaceChildren(head, tail);
  }

  function point(op) {
    if (op === current) return;
    current = op;
    refresh();
  }

  function pin(op) {
    pinned = op === pinned ? null : op;
    refresh();
  }

  // ---- Keyboard ----

  // One operation is where Tab enters the picture; those of a small contradiction can be reached by Tab as well.
  let home = null;
  const highlighted = ops.filter((op) => op.element.classList.contains('highlighted'));
  const stops = new Set(highlighted.length <= 12 ? highlighted : []);
  function enterAt(op) {
    for (const each of [home, op]) each?.element.setAttribute('tabindex', each === op || stops.has(each) ? 0 : -1);
    home = op;
  }
  for (const op of ops) {
    op.element.setAttribute('role', 'button');
    op.element.setAttribute('tabindex', stops.has(op) ? 0 : -1);
  }
  if (ops.length) enterAt(highlighted[0] ?? ops[0]);

  const middle = (op) => op.x + op.width / 2;
  const nearest = (list, from) => list.reduce(
    (best, op) => (best && Math.abs(middle(best) - middle(from)) <= Math.abs(middle(op) - middle(from)) ? best : op), null);

  function neighbour(op, key) {
    const row = ops.filter((each) => each.y === op.y).sort((a, b) => a.x - b.x);
    const rows = [...new Set(ops.map((each) => each.y))].sort((a, b) => a - b);
    const beside = (step) => ops.filter((each) => each.y === rows[rows.indexOf(op.y) + step]);
    switch (key) {
      case 'ArrowLeft': return row[row.indexOf(op) - 1];
      case 'ArrowRight': return row[row.indexOf(op) + 1];
      case 'ArrowUp': return nearest(beside(-1), op);
      case 'ArrowDown': return nearest(beside(1), op);
      case 'Home': return row[0];
      case 'End': return row.at(-1);
    }
  }

  function reveal(op) {
    const names = scroll.querySelector('.names').getBoundingClientRect().width;
    const room = scroll.clientWidth - names;
    const [left, right] = [op.x * zoom, (op.x + op.width) * zoom];
    const isVisible = left >= scroll.scrollLeft && right <= scroll.scrollLeft + room;
    if (!isVisible) scroll.scrollLeft = right - left < room ? (left + right - room) / 2 : left - 24;
    const box = op.element.getBoundingClientRect();
    if (box.top < 0 || box.bottom > innerHeight) scrollBy(0, box.top - innerHeight / 2);
  }

  function focus(op) {
    enterAt(op);
    op.element.focus({ preventScroll: true });
    reveal(op);
  }

  ops.forEach((op, i) => {
    op.element.addEventListener('pointerenter', () => point(i));
    op.element.addEventListener('pointerleave', () => point(null));
    op.element.addEventListener('click', () => pin(i));
    op.element.addEventListener('focus', () => { enterAt(op); reveal(op); point(i); });
    op.element.addEventListener('blur', () => point(null));
    op.element.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const next = neighbour(op, event.key);
      if (next) focus(next);
      else if (event.key === 'Enter' || event.key === ' ') pin(i);
      else if (!event.key.startsWith('Arrow')) return;
      event.preventDefault();
    });
  });

  for (const link of document.querySelectorAll('a.ref')) {
    const op = ops.find((each) => `#${each.element.id}` === link.getAttribute('href'));
    link.addEventListener('click', (event) => { event.preventDefault(); focus(op); });
    link.addEventListener('pointerenter', () => point(ops.indexOf(op)));
    link.addEventListener('pointerleave', () => point(null));
  }

  // ---- Zoom ----

  const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{10ffff}]/u;
  const columns = (c) => (WIDE.test(c) ? 2 : 1);

  function shortened(label, room) {
    const all = [...label];
    if (all.reduce((sum, c) => sum + columns(c), 0) <= room) return label;
    let used = 1;
    const end = all.findIndex((c) => (used += columns(c)) > room);
    return room < 1 ? '' : `${all.slice(0, end).join('')}…`;
  }

  function setZoom(next, anchor = scroll.scrollLeft + scroll.clientWidth / 2) {
    const before = zoom;
    zoom = Math.min(Math.max(next, 0.15), 6);
    const width = Math.max(data.width * zoom, room());
    picture.setAttribute('width', width);
    for (const lane of picture.querySelectorAll('.lane')) lane.setAttribute('width', width);
    for (const element of picture.querySelectorAll('g[data-x]')) {
      element.setAttribute('transform', `translate(${element.dataset.x * zoom} ${element.dataset.y ?? 0})`);
    }
    for (const element of picture.querySelectorAll('[data-w]')) element.setAttribute('width', element.dataset.w * zoom);
    for (const element of picture.querySelectorAll('.open')) {
      element.setAttribute('x1', element.dataset.x * zoom);
      element.setAttribute('x2', width);
    }
    const beyond = picture.querySelector('.beyond');
    beyond?.setAttribute('width', width - beyond.parentNode.dataset.x * zoom);
    for (const text of picture.querySelectorAll('.gap text')) {
      text.setAttribute('x', text.parentNode.querySelector('rect').dataset.w * zoom * text.dataset.at);
    }
    const flag = find('prefix');
    if (flag) {
      const isLeft = flag.dataset.x * zoom > 210;
      const text = flag.querySelector('text');
      text.setAttribute('text-anchor', isLeft ? 'end' : 'start');
      text.setAttribute('x', isLeft ? -8 : 8);
    }
    ticks();
    labels();
    drawOrder(data.orders[shown] ?? null);
    scroll.scrollLeft += anchor * (zoom / before - 1);
  }

  // Numbers that would touch are left out: those of events, and those of operations in gaps, which are above them.
  function ticks() {
    const free = { grid: -Infinity, gap: -Infinity };
    for (const tick of picture.querySelectorAll('.scene > [data-x]')) {
      const text = tick.querySelector('.tick');
      if (!text) continue;
      const row = tick.classList.contains('gap') ? 'gap' : 'grid';
      const x = tick.dataset.x * zoom;
      const isFree = x >= free[row];
      (row === 'gap' ? text : tick).style.display = isFree ? '' : 'none';
      if (isFree) free[row] = x + (row === 'gap' ? 6 * text.textContent.length + 4 : 52);
    }
  }

  // A label is as long as its bar allows, and stays in sight while its bar is.
  function labels() {
    for (const op of ops) {
      const length = op.start + op.label.length * data.character + 8;
      const away = scroll.scrollLeft - op.x * zoom;
      const shift = Math.max(0, Math.min(away, op.width * zoom - length));
      const room = Math.floor((op.width * zoom - op.start - shift - 8) / data.character + 0.05);
      for (const part of op.parts) {
        part.setAttribute('transform', `translate(${shift} 0)`);
        part.style.display = op.width * zoom < op.start ? 'none' : '';
      }
      const text = shortened(op.label, room);
      if (op.text.textContent !== text) op.text.textContent = text;
    }
  }

  const room = () => scroll.clientWidth - scroll.querySelector('.names').getBoundingClientRect().width - 2;
  const zooms = {
    in: () => setZoom(zoom * 1.25),
    out: () => setZoom(zoom / 1.25),
    fit: () => setZoom(room() / data.width),
  };
  for (const button of document.querySelectorAll('[data-zoom]')) {
    button.addEventListener('click', () => zooms[button.dataset.zoom]());
  }
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '+' || event.key === '=') zooms.in();
    else if (event.key === '-') zooms.out();
    else if (event.key === 'Escape' && pinned !== null) pin(pinned);
    else return;
    event.preventDefault();
  });
  let scheduled = false;
  scroll.addEventListener('scroll', () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => { scheduled = false; labels(); });
  });

  // ---- The beginning ----

  // A small picture fills the width, within reason; a large one starts at the contradiction.
  setZoom(Math.min(Math.max(room() / data.width, 1), 2.2), 0);
  refresh();
  const focused = highlighted.length ? highlighted : ops.filter((op) => op.element.classList.contains('stuck'));
  if (focused.length) {
    const left = Math.min(...focused.map((op) => op.x)) * zoom;
    const right = Math.max(...focused.map((op) => op.x + op.width)) * zoom;
    scroll.scrollLeft = right - left < room() ? (left + right - room()) / 2 : right - room() + 48;
  }
})();
