//! The picture, as it is in a page and by itself.

use std::fmt::{Result, Write};

use super::layout::{ABOVE, AXIS, BAR, CHARACTER, PADDING, POINT, ROW, Slot, gap_words};
use super::order::Drawn;
use super::scene::{Scene, tag_width};
use super::sentence::{Piece, pieces};
use super::{Outcome, Timeline};
use crate::escape::{columns, escape, grouped, shortened};

/// Colours and fonts, for both renderings. No custom properties: not all that draws SVG knows them.
pub(super) const STYLE: &str = include_str!("picture.css");

/// Between the numbers of events, at least.
const TICKS: f64 = 56.0;
/// What the words at the end of the shortest failing prefix take. `timeline.js` has the same number.
const FLAG: f64 = 210.0;
/// Around the document.
const MARGIN: f64 = 24.0;
/// A line of the sentence.
const LINE: f64 = 22.0;
/// A document is at least as wide, so that there is room for the sentence.
const WIDTH: f64 = 720.0;
/// The width of a character of the sentence, at most.
const LETTER: f64 = 8.2;

/// The picture as a document.
pub(super) fn document(scene: &Scene<'_>) -> String {
    let mut svg = String::new();
    // Writing to a string does not fail.
    let _ = Drawing { scene, out: &mut svg }.document();
    svg
}

/// The picture as an element of a page, without the names of the lanes.
pub(super) fn picture(scene: &Scene<'_>, out: &mut String) -> Result {
    Drawing { scene, out }.element()
}

/// The names of the lanes as another element of the page.
pub(super) fn names(scene: &Scene<'_>, out: &mut String) -> Result {
    let (width, height) = (names_width(scene), scene.layout.height);
    writeln!(out, r#"<svg class="names" width="{width}" height="{height}" aria-hidden="true">"#)?;
    Drawing { scene, out }.names(width)?;
    writeln!(out, "</svg>")
}

fn names_width(scene: &Scene<'_>) -> f64 {
    let longest = scene.layout.lanes.iter().map(|lane| lane_name(lane.process).len()).max().unwrap_or(5);
    longest as f64 * 7.0 + 20.0
}

fn lane_name(process: u64) -> String {
    format!("process {process}")
}

struct Drawing<'s, 'o> {
    scene: &'s Scene<'s>,
    out: &'o mut String,
}

impl Drawing<'_, '_> {
    fn document(&mut self) -> Result {
        let names = names_width(self.scene);
        let width = (self.scene.layout.width + names).max(WIDTH) + 2.0 * MARGIN;
        let lines = sentence_lines(self.scene.timeline, ((width.min(1100.0) - 2.0 * MARGIN) / LETTER) as usize);
        let notes = self.scene.notes();
        let top = MARGIN + 66.0 + lines.len() as f64 * LINE + 14.0;
        let height = top + self.scene.layout.height + 12.0 + notes.len() as f64 * 18.0 + MARGIN;
        writeln!(
            self.out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" class="linchpin" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-labelledby="title sentence">"#
        )?;
        writeln!(
            self.out,
            r#"<title id="title">{}: {}</title>"#,
            escape(self.scene.timeline.title),
            self.scene.verdict()
        )?;
        writeln!(self.out, r#"<desc id="sentence">{}</desc>"#, escape(self.scene.timeline.sentence))?;
        writeln!(self.out, "<style>\n{STYLE}</style>")?;
        writeln!(self.out, r#"<rect class="paper" width="{width}" height="{height}"/>"#)?;
        self.heading(&lines)?;
        writeln!(self.out, r#"<g transform="translate({} {})">"#, MARGIN, px(top))?;
        self.names(names)?;
        writeln!(self.out, r#"<g transform="translate({} 0)">"#, px(names))?;
        self.picture()?;
        writeln!(self.out, "</g>\n</g>")?;
        let mut y = top + self.scene.layout.height + 24.0;
        for note in notes {
            writeln!(self.out, r#"<text class="note" x="{MARGIN}" y="{}">{}</text>"#, px(y), escape(&note))?;
            y += 18.0;
        }
        writeln!(self.out, "</svg>")
    }

    fn heading(&mut self, lines: &[Vec<Piece<'_>>]) -> Result {
        let title = escape(self.scene.timeline.title);
        writeln!(self.out, r#"<text class="title" x="{MARGIN}" y="{}">{title}</text>"#, MARGIN + 10.0)?;
        let kind = kind(self.scene.timeline.verdict);
        writeln!(
            self.out,
            r#"<text class="verdict {kind}" x="{MARGIN}" y="{}">{} {}</text>"#,
            MARGIN + 40.0,
            self.scene.sign(),
            self.scene.verdict()
        )?;
        for (number, line) in lines.iter().enumerate() {
            let y = MARGIN + 68.0 + number as f64 * LINE;
            write!(self.out, r#"<text class="sentence" x="{MARGIN}" y="{}" xml:space="preserve">"#, px(y))?;
            for piece in line {
                match piece {
                    Piece::Words(words) => write!(self.out, "{}", escape(words))?,
                    Piece::Name(name, id) => {
                        let shown = self.scene.index_of(*id).filter(|_| piece.is_label());
                        if let Some(letter) = shown.and_then(|shown| self.scene.letters[shown].as_deref()) {
                            write!(self.out, r#"<tspan class="mark">{letter} </tspan>"#)?;
                        }
                        write!(self.out, r#"<tspan class="name">{}</tspan>"#, escape(name))?;
                    }
                }
            }
            writeln!(self.out, "</text>")?;
        }
        Ok(())
    }

    fn names(&mut self, width: f64) -> Result {
        writeln!(self.out, r#"<g class="names">"#)?;
        writeln!(self.out, r#"<text class="tick" x="0" y="{}">event</text>"#, AXIS - 12.0)?;
        for (number, lane) in self.scene.layout.lanes.iter().enumerate() {
            let parity = if number % 2 == 0 { "even" } else { "odd" };
            writeln!(
                self.out,
                r#"<rect class="lane {parity}" y="{}" width="{width}" height="{}"/>"#,
                lane.y, lane.height
            )?;
            let y = lane.y + ABOVE + BAR / 2.0 + 4.0;
            writeln!(self.out, r#"<text x="8" y="{}">{}</text>"#, px(y), lane_name(lane.process))?;
        }
        writeln!(self.out, "</g>")
    }

    fn element(&mut self) -> Result {
        let (width, height) = (px(self.scene.layout.width), self.scene.layout.height);
        writeln!(
            self.out,
            r#"<svg id="picture" class="linchpin {}" width="{width}" height="{height}" role="group" aria-label="Operations by process, from left to right in time">"#,
            kind(self.scene.timeline.verdict)
        )?;
        self.picture()?;
        writeln!(self.out, "</svg>")
    }

    /// What both renderings share.
    fn picture(&mut self) -> Result {
        let is_violation = self.scene.timeline.verdict == Outcome::Violation;
        let focus = if is_violation && !self.scene.timeline.highlighted.is_empty() { " focused" } else { "" };
        let ordered = if self.scene.initial_order().is_some() { " ordered" } else { "" };
        writeln!(self.out, r#"<g id="scene" class="scene{focus}{ordered}">"#)?;
        writeln!(self.out, "{FADE}")?;
        self.lanes()?;
        self.prefix_shade()?;
        self.axis()?;
        let order = self.scene.initial_order();
        // The line runs below the bars, which let it shine through, and the points are above them, so that neither
        // makes a label illegible.
        writeln!(self.out, r#"<g id="lines" class="order">"#)?;
        order.map_or(Ok(()), |order| self.lines(order))?;
        writeln!(self.out, "</g>")?;
        self.bars()?;
        self.prefix_line()?;
        writeln!(self.out, r#"<g id="points" class="order" aria-hidden="true">"#)?;
        order.map_or(Ok(()), |order| self.points(order))?;
        writeln!(self.out, "</g>\n</g>")
    }

    fn lanes(&mut self) -> Result {
        let width = px(self.scene.layout.width);
        for (number, lane) in self.scene.layout.lanes.iter().enumerate() {
            let parity = if number % 2 == 0 { "even" } else { "odd" };
            writeln!(
                self.out,
                r#"<rect class="lane {parity}" y="{}" width="{width}" height="{}"/>"#,
                lane.y, lane.height
            )?;
        }
        Ok(())
    }

    fn axis(&mut self) -> Result {
        let mut next = f64::NEG_INFINITY;
        let height = self.scene.layout.height;
        for slot in &self.scene.layout.slots {
            let x = px(slot.x);
            match slot.hidden {
                Some(hidden) => {
                    self.gap(slot, hidden)?;
                    next = slot.x + slot.width;
                }
                None if slot.x >= next => {
                    let number = grouped(slot.first + 1);
                    writeln!(
                        self.out,
                        r#"<g transform="translate({x} 0)" data-x="{x}"><line class="grid" y1="{}" y2="{height}"/><text class="tick" y="{}">{number}</text></g>"#,
                        AXIS - 6.0,
                        AXIS - 12.0
                    )?;
                    next = slot.x + TICKS;
                }
                None => {}
            }
        }
        Ok(())
    }

    fn gap(&mut self, slot: &Slot, hidden: usize) -> Result {
        let (x, height) = (px(slot.x), self.scene.layout.height - AXIS);
        let number = grouped(hidden);
        let what = if hidden == 1 { "operation" } else { "operations" };
        let (first, last) = (grouped(slot.first + 1), grouped(slot.last + 1));
        write!(self.out, r#"<g class="gap" transform="translate({x} 0)" data-x="{x}">"#)?;
        write!(self.out, "<title>Events {first} to {last}: {number} {what} not shown</title>")?;
        let width = slot.width;
        write!(
            self.out,
            r#"<rect y="{AXIS}" width="{width}" height="{height}" fill="url(#hatch)" data-w="{width}"/>"#
        )?;
        if hidden > 0 {
            // At the ends of the picture the words must not reach beyond it, however narrow the gap becomes.
            let (anchor, at) = match slot {
                Slot { first: 0, .. } => ("start", 0.0),
                Slot { last, .. } if last + 1 == self.scene.window.ranks.events => ("end", 1.0),
                _ => ("middle", 0.5),
            };
            let (x, y, words) = (px(width * at), AXIS - 27.0, gap_words(hidden));
            write!(
                self.out,
                r#"<text class="tick" style="text-anchor:{anchor}" x="{x}" y="{y}" data-at="{at}">{words}</text>"#
            )?;
        }
        writeln!(self.out, "</g>")
    }

    fn bars(&mut self) -> Result {
        // In the order of the lanes, so that this is also the order in which they are read out.
        let mut order: Vec<usize> = (0..self.scene.window.shown.len()).collect();
        order.sort_by_key(|&shown| self.scene.layout.boxes[shown].lane);
        let mut lane = usize::MAX;
        for shown in order {
            let place = &self.scene.layout.boxes[shown];
            if place.lane != lane {
                let end = if lane == usize::MAX { "" } else { "</g>\n" };
                lane = place.lane;
                let name = lane_name(self.scene.layout.lanes[lane].process);
                writeln!(self.out, r#"{end}<g role="group" aria-label="{name}">"#)?;
            }
            self.bar(shown)?;
        }
        writeln!(self.out, "{}", if lane == usize::MAX { "" } else { "</g>" })
    }

    fn bar(&mut self, shown: usize) -> Result {
        let scene = self.scene;
        let operation = scene.window.shown[shown];
        let bar = &scene.timeline.bars[operation];
        let place = &scene.layout.boxes[shown];
        let letter = scene.letters[shown].as_deref();
        let mut class = String::from("op");
        let is_ordered =
            scene.initial_order().is_some_and(|order| order.points.iter().any(|&(point, _)| point == shown));
        let is_stuck = scene.initial_order().is_some_and(|order| order.stuck == Some(shown));
        for (is, name) in [
            (letter.is_some(), " highlighted"),
            (bar.ret.is_none(), " pending"),
            (is_ordered, " in-order"),
            (is_stuck, " stuck"),
        ] {
            class += if is { name } else { "" };
        }
        let (x, y, width) = (px(place.left), px(place.y), px(place.solid - place.left));
        let label = escape(&bar.label);
        let particulars = scene.particulars(shown, ", ");
        write!(
            self.out,
            r#"<g id="op-{operation}" class="{class}" transform="translate({x} {y})" data-x="{x}" data-y="{y}" data-i="{shown}" data-label="{label}" aria-label="{label}, {particulars}">"#
        )?;
        let line = if bar.line > 0 { format!(", line {}", bar.line) } else { String::new() };
        let times = match bar.ret {
            Some(ret) => format!("time {} to {ret}", bar.call),
            None => format!("since time {}, never returned", bar.call),
        };
        write!(self.out, "<title>{label}\nprocess {}{line}\n{times}</title>", bar.process)?;
        if bar.ret.is_none() {
            let end = px(place.right - place.left);
            let middle = BAR / 2.0;
            write!(
                self.out,
                r#"<line class="open" x1="{width}" x2="{end}" y1="{middle}" y2="{middle}" data-x="{width}"/>"#
            )?;
        }
        let mask = if bar.ret.is_none() { r#" mask="url(#fade)""# } else { "" };
        write!(self.out, r#"<rect class="bar" width="{width}" height="{BAR}" rx="5" data-w="{width}"{mask}/>"#)?;
        let mut start = PADDING;
        if let Some(letter) = letter {
            let tag = tag_width(letter);
            write!(
                self.out,
                r#"<rect class="tag" x="5" y="5" width="{tag}" height="16" rx="3"/><text class="letter" x="{}" y="17">{letter}</text>"#,
                5.0 + tag / 2.0
            )?;
            start += tag + 4.0;
        }
        let room = ((place.solid - place.left - start - PADDING) / CHARACTER + 0.05).max(0.0) as usize;
        writeln!(
            self.out,
            r#"<text class="label" x="{start}" y="17">{}</text></g>"#,
            escape(&shortened(&bar.label, room))
        )
    }

    /// Where the return of the operation with which the shortest failing prefix ends is.
    fn prefix_end(&self) -> Option<f64> {
        let shown = self.scene.timeline.fails_at.and_then(|id| self.scene.index_of(id))?;
        let place = &self.scene.layout.boxes[shown];
        self.scene.return_of(shown).map(|_| place.right)
    }

    fn prefix_shade(&mut self) -> Result {
        let Some(end) = self.prefix_end() else { return Ok(()) };
        let (x, width) = (px(end), px(self.scene.layout.width - end));
        let height = self.scene.layout.height - AXIS;
        writeln!(
            self.out,
            r#"<g transform="translate({x} 0)" data-x="{x}"><rect class="beyond" y="{AXIS}" width="{width}" height="{height}"/></g>"#
        )
    }

    fn prefix_line(&mut self) -> Result {
        let Some(end) = self.prefix_end() else { return Ok(()) };
        let x = px(end);
        // The words go where there is room for them.
        let (side, shift) = if end > FLAG { ("end", -8) } else { ("start", 8) };
        writeln!(
            self.out,
            r#"<g id="prefix" transform="translate({x} 0)" data-x="{x}"><path class="prefix" d="M0 4V18M0 {}V{}"/><text class="flag" x="{shift}" y="14" text-anchor="{side}">shortest failing prefix ends here</text></g>"#,
            AXIS - 6.0,
            self.scene.layout.height
        )
    }

    /// Where the point of an operation is.
    fn point(&self, &(shown, x): &(usize, f64)) -> (f64, f64) {
        (px(x), px(self.scene.layout.boxes[shown].y + POINT))
    }

    /// Where the sign is that an order is stuck at an operation: right of the last point, if the bar is there.
    fn stuck(&self, order: &Drawn) -> Option<(f64, f64)> {
        let shown = order.stuck?;
        let place = &self.scene.layout.boxes[shown];
        let last = order.points.last().map_or(place.left, |&(_, x)| x);
        let x = (last + 28.0).min(place.right - 10.0).max(place.left + 10.0);
        Some(self.point(&(shown, x)))
    }

    /// The line through the points, and to where it goes no further.
    fn lines(&mut self, order: &Drawn) -> Result {
        let points: Vec<(f64, f64)> = order.points.iter().map(|point| self.point(point)).collect();
        let line: Vec<String> = points.iter().map(|(x, y)| format!("{x} {y}")).collect();
        writeln!(self.out, r#"<polyline class="line" points="{}"/>"#, line.join(" "))?;
        if let (Some((x1, y1)), Some((x2, y2))) = (points.last(), self.stuck(order)) {
            writeln!(self.out, r#"<line class="line to-stuck" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#)?;
        }
        Ok(())
    }

    /// The points with their numbers, and the sign where there is none.
    fn points(&mut self, order: &Drawn) -> Result {
        for (number, point) in order.points.iter().enumerate() {
            let number = (number + 1).to_string();
            let width = 10.0 + 6.0 * number.len() as f64;
            let (x, y) = self.point(point);
            writeln!(
                self.out,
                r#"<g class="point" transform="translate({x} {y})"><rect x="{}" y="-8" width="{width}" height="16" rx="8"/><text y="3.5">{number}</text></g>"#,
                -width / 2.0
            )?;
        }
        if let Some((x, y)) = self.stuck(order) {
            writeln!(
                self.out,
                r#"<g class="point stuck" transform="translate({x} {y})"><circle r="8"/><text y="3.5">✕</text></g>"#
            )?;
        }
        Ok(())
    }
}

/// The sentence in lines of `room` columns, broken at spaces outside names.
fn sentence_lines<'a>(timeline: &'a Timeline<'_>, room: usize) -> Vec<Vec<Piece<'a>>> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    let mut used = 0;
    for piece in pieces(timeline) {
        let parts: Vec<Piece<'_>> = match piece {
            Piece::Words(words) => words.split_inclusive(char::is_whitespace).map(Piece::Words).collect(),
            name => vec![name],
        };
        for part in parts {
            let (Piece::Words(text) | Piece::Name(text, _)) = part;
            let mark = if part.is_label() { 2 } else { 0 };
            if used > 0 && used + mark + columns(text.trim_end()) > room {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            used += mark + columns(text);
            line.push(part);
        }
    }
    lines.extend((!line.is_empty()).then_some(line));
    lines
}

/// A position, to a tenth of a pixel.
pub(super) fn px(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

/// A verdict as a class.
pub(super) fn kind(verdict: Outcome) -> &'static str {
    match verdict {
        Outcome::Linearizable => "linearizable",
        Outcome::Violation => "violation",
        Outcome::Unknown => "unknown",
    }
}

/// Pending operations fade away, gaps are hatched.
const FADE: &str = r##"<defs>
<linearGradient id="fading"><stop offset="0.3" stop-color="#fff"/><stop offset="0.9" stop-color="#000"/></linearGradient>
<mask id="fade" maskContentUnits="objectBoundingBox"><rect x="-0.1" y="-0.1" width="1.2" height="1.2" fill="url(#fading)"/></mask>
<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" y2="7"/></pattern>
</defs>"##;

// A point must not reach into the next row.
const _: () = assert!(ABOVE + POINT + 9.0 <= ROW);
