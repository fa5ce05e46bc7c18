//! The picture in a page of its own.
//!
//! Everything is in the document: style, script and data. The script gets numbers as JSON and text from attributes, so
//! that no text of a file is ever part of it. The page also says so to the browser: nothing may be loaded.

use std::fmt::{Result, Write};

use super::Outcome;
use super::layout::CHARACTER;
use super::scene::Scene;
use super::sentence::{Piece, pieces};
use super::svg::{self, STYLE, kind, px};
use crate::escape::{columns, escape, grouped};

const PAGE_STYLE: &str = include_str!("timeline.css");
/// Names up to this length are not broken over lines.
const SHORT: usize = 32;
const SCRIPT: &str = include_str!("timeline.js");

/// The page.
pub(super) fn document(scene: &Scene<'_>) -> String {
    let mut page = String::new();
    // Writing to a string does not fail.
    let _ = Page { scene, out: &mut page }.document();
    page
}

struct Page<'s, 'o> {
    scene: &'s Scene<'s>,
    out: &'o mut String,
}

impl Page<'_, '_> {
    fn document(&mut self) -> Result {
        let title = escape(self.scene.timeline.title);
        writeln!(self.out, r#"<!DOCTYPE html>"#)?;
        writeln!(self.out, r#"<html lang="en">"#)?;
        writeln!(self.out, r#"<head>"#)?;
        writeln!(self.out, r#"<meta charset="utf-8">"#)?;
        writeln!(
            self.out,
            r#"<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">"#
        )?;
        writeln!(self.out, r#"<meta name="viewport" content="width=device-width, initial-scale=1">"#)?;
        writeln!(self.out, r#"<meta name="color-scheme" content="light dark">"#)?;
        writeln!(self.out, "<title>{title}: {}</title>", self.scene.verdict())?;
        writeln!(self.out, "<style>\n{STYLE}{PAGE_STYLE}</style>")?;
        writeln!(self.out, "</head>\n<body>")?;
        self.heading()?;
        writeln!(self.out, "<main>")?;
        self.tools()?;
        writeln!(self.out, r#"<div id="scroll">"#)?;
        svg::names(self.scene, self.out)?;
        svg::picture(self.scene, self.out)?;
        writeln!(self.out, "</div>")?;
        self.legend()?;
        writeln!(self.out, "</main>")?;
        self.contradiction()?;
        writeln!(
            self.out,
            r#"<section id="list" hidden><h2>Order shown</h2><p id="list-note"></p><div class="wide"><ol id="list-order"></ol></div></section>"#
        )?;
        self.data()?;
        writeln!(self.out, "<script>\n{SCRIPT}</script>")?;
        writeln!(self.out, "</body>\n</html>")
    }

    fn heading(&mut self) -> Result {
        let timeline = self.scene.timeline;
        let (kind, sign, verdict) = (kind(timeline.verdict), self.scene.sign(), self.scene.verdict());
        writeln!(self.out, r#"<header>"#)?;
        writeln!(self.out, r#"<p class="file">{}</p>"#, escape(timeline.title))?;
        writeln!(self.out, r#"<h1 class="{kind}"><span class="sign" aria-hidden="true">{sign}</span> {verdict}</h1>"#)?;
        if !timeline.sentence.is_empty() {
            write!(self.out, r#"<p class="explanation">"#)?;
            for piece in pieces(timeline) {
                self.piece(piece)?;
            }
            writeln!(self.out, "</p>")?;
        }
        writeln!(self.out, r#"<p class="notes">{}</p>"#, escape(&self.scene.notes().join(" ")))?;
        writeln!(self.out, "</header>")
    }

    fn piece(&mut self, piece: Piece<'_>) -> Result {
        match piece {
            Piece::Words(words) => write!(self.out, "{}", escape(words)),
            Piece::Name(name, id) => match self.scene.index_of(id) {
                Some(shown) => {
                    let is_label = piece.is_label();
                    let tag = if is_label { self.tag(shown) } else { String::new() };
                    let kind = if is_label { "ref" } else { "ref plain" };
                    let length = if columns(name) <= SHORT { " short" } else { "" };
                    let name = escape(name);
                    write!(self.out, r##"<a class="{kind}{length}" href="#op-{}">{tag}<code>{name}</code></a>"##, id.0)
                }
                None => write!(self.out, "<code>{}</code>", escape(name)),
            },
        }
    }

    fn tag(&self, shown: usize) -> String {
        self.scene.letters[shown].as_ref().map(|letter| format!("<b>{letter}</b>")).unwrap_or_default()
    }

    fn tools(&mut self) -> Result {
        let hint = match (self.scene.timeline.verdict, self.scene.timeline.orders.is_empty()) {
            (Outcome::Linearizable, _) => "Point at an operation, or move with the arrow keys, for its particulars.",
            (_, false) => "Point at an operation, or move with the arrow keys, for the longest order that contains it.",
            (_, true) => "Point at an operation, or move with the arrow keys, for its particulars.",
        };
        writeln!(self.out, r#"<div class="tools">"#)?;
        writeln!(self.out, r#"<p id="details" role="status" aria-live="polite" data-hint="{hint}">{hint}</p>"#)?;
        writeln!(self.out, r#"<div role="group" aria-label="Zoom">"#)?;
        for (zoom, label, sign) in [("out", "Zoom out", "−"), ("in", "Zoom in", "+"), ("fit", "Fit to width", "Fit")]
        {
            writeln!(
                self.out,
                r#"<button type="button" data-zoom="{zoom}" aria-label="{label}" title="{label}">{sign}</button>"#
            )?;
        }
        writeln!(self.out, "</div>\n</div>")
    }

    fn legend(&mut self) -> Result {
        let timeline = self.scene.timeline;
        let stuck = timeline.orders.iter().any(|partial| partial.stuck_at.is_some());
        let pending = self.scene.shown().any(|(_, _, bar)| bar.ret.is_none());
        let items = [
            (!timeline.highlighted.is_empty(), "key-tag", "A", "in the contradiction"),
            (!timeline.orders.is_empty(), "key-point", "1", "position in the order"),
            (stuck, "key-stuck", "✕", "cannot come next"),
            (pending, "key-pending", "", "never returned"),
            (self.scene.layout.slots.iter().any(|slot| slot.hidden.is_some()), "key-gap", "", "not shown"),
        ];
        writeln!(self.out, r#"<div class="legend"><ul>"#)?;
        for (_, class, sign, words) in items.iter().filter(|(is_needed, ..)| *is_needed) {
            writeln!(self.out, r#"<li><span class="{class}" aria-hidden="true">{sign}</span>{words}</li>"#)?;
        }
        writeln!(self.out, "</ul>")?;
        writeln!(
            self.out,
            "<p><kbd>Tab</kbd> and <kbd>←</kbd><kbd>↑</kbd><kbd>↓</kbd><kbd>→</kbd> move, <kbd>Enter</kbd> or a click pins an order, <kbd>Esc</kbd> lets it go, <kbd>+</kbd><kbd>−</kbd> zoom.</p>"
        )?;
        writeln!(self.out, "</div>")
    }

    /// The contradiction as a table, for those who do not see the picture, and for looking lines up.
    fn contradiction(&mut self) -> Result {
        if self.scene.letters.iter().flatten().next().is_none() {
            return Ok(());
        }
        writeln!(self.out, r#"<section><h2>Contradiction</h2>"#)?;
        writeln!(self.out, r#"<div class="wide"><table>"#)?;
        writeln!(
            self.out,
            r#"<thead><tr><th scope="col">Operation</th><th scope="col">Process</th><th scope="col">Called at event</th><th scope="col">Returned at event</th><th scope="col">Line</th></tr></thead>"#
        )?;
        writeln!(self.out, "<tbody>")?;
        let mut rows: Vec<_> = self.scene.shown().filter(|&(shown, ..)| self.scene.letters[shown].is_some()).collect();
        let letter = |shown: usize| self.scene.letters[shown].as_deref().map(|letter| (letter.len(), letter));
        rows.sort_by_key(|&(shown, ..)| letter(shown));
        for (shown, id, bar) in rows {
            let tag = self.tag(shown);
            let length = if columns(&bar.label) <= SHORT { " short" } else { "" };
            let ret = self.scene.return_of(shown).map_or("never".into(), grouped);
            let line = if bar.line > 0 { bar.line.to_string() } else { "–".into() };
            writeln!(
                self.out,
                r##"<tr><th scope="row"><a class="ref{length}" href="#op-{}">{tag}<code>{}</code></a></th><td>{}</td><td>{}</td><td>{ret}</td><td>{line}</td></tr>"##,
                id.0,
                escape(&bar.label),
                bar.process,
                grouped(self.scene.call_of(shown))
            )?;
        }
        writeln!(self.out, "</tbody>\n</table></div></section>")
    }

    /// What the script needs: numbers.
    fn data(&mut self) -> Result {
        let orders: Vec<String> = (self.scene.orders.drawn.iter())
            .map(|order| {
                let points: Vec<String> =
                    order.points.iter().map(|&(shown, x)| format!("[{shown},{}]", px(x))).collect();
                format!(
                    r#"{{"points":[{}],"before":{},"length":{},"stuckAt":{},"stuck":{}}}"#,
                    points.join(","),
                    order.before,
                    order.length,
                    number(order.stuck_at.map(|id| id.index())),
                    number(order.stuck)
                )
            })
            .collect();
        let order_of: Vec<String> = self.scene.orders.of.iter().map(|order| number(*order)).collect();
        writeln!(
            self.out,
            r#"<script type="application/json" id="data">{{"width":{},"character":{CHARACTER},"initial":{},"orderOf":[{}],"orders":[{}]}}</script>"#,
            px(self.scene.layout.width),
            number(self.scene.initial()),
            order_of.join(","),
            orders.join(",")
        )
    }
}

/// As JSON.
fn number(number: Option<usize>) -> String {
    number.map_or("null".into(), |number| number.to_string())
}
