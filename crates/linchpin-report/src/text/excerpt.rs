//! Sections of the source, underlined as the compiler would do it.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::style::Style;
use crate::report::{Excerpt, Section};

/// The sections in what is known of the source; nothing for those that are not in it.
pub(super) fn excerpts(sections: &[Section], sources: &[Excerpt], style: Style) -> String {
    let mut group = Group::with_level(Level::NOTE);
    let mut is_empty = true;
    let texts: Vec<String> = sources.iter().map(|source| source.lines.join("\n")).collect();
    for (source, text) in sources.iter().zip(&texts) {
        let spans: Vec<_> = sections.iter().filter_map(|section| Some((section, span(section, source)?))).collect();
        if spans.is_empty() {
            continue;
        }
        let annotation = |(section, span): (&Section, _)| {
            AnnotationKind::Primary.span(span).label(format!("`{}` must be atomic here", section.operation))
        };
        let snippet = Snippet::source(text.as_str()).line_start(source.first_line as usize).path(source.file.as_str());
        group = group.element(snippet.annotations(spans.into_iter().map(annotation)));
        is_empty = false;
    }
    if is_empty {
        return String::new();
    }
    let renderer = if style.colour { Renderer::styled() } else { Renderer::plain() };
    format!("{}\n", renderer.term_width(style.width).render(&[group]))
}

/// The bytes of a section within the text of an excerpt: from the first to the last character that is seen.
fn span(section: &Section, source: &Excerpt) -> Option<std::ops::Range<usize>> {
    let (first, last) = (section.first_line?, section.last_line?);
    if section.file.as_deref() != Some(&source.file) || source.line(first).is_none() {
        return None;
    }
    let start_of = |number: u32| {
        let before = &source.lines[..(number - source.first_line) as usize];
        before.iter().map(|line| line.len() + 1).sum::<usize>()
    };
    let opening = source.line(first)?;
    let closing = source.line(last)?;
    let start = start_of(first) + (opening.len() - opening.trim_start().len());
    let end = start_of(last) + closing.trim_end().len();
    (start < end).then_some(start..end)
}
