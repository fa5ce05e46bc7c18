//! Pictures of histories: what is in them, and that nothing of a file acts in them.

mod samples;

use linchpin_model::OperationId;
use linchpin_report::timeline::{Bar, Outcome, Partial, Timeline, html, svg};
use roxmltree::{Document, Node};

use samples::{bar, ids, overtaken, plain, queue};

/// The ids of the operations that are drawn, which are the same in both renderings.
fn drawn(timeline: &Timeline<'_>) -> Vec<u32> {
    let picture = svg(timeline);
    let document = parse(&picture);
    let mut ids: Vec<u32> = operations(&document).filter_map(|node| id_of(&node)).collect();
    ids.sort_unstable();
    let page = html(timeline);
    let number = |rest: &str| rest.split('"').next().and_then(|number| number.parse().ok());
    let mut in_page: Vec<u32> = page.split("id=\"op-").skip(1).filter_map(number).collect();
    in_page.sort_unstable();
    assert_eq!(in_page, ids, "the page and the picture differ");
    ids
}

fn parse(svg: &str) -> Document<'_> {
    Document::parse(svg).unwrap_or_else(|error| panic!("not XML: {error}"))
}

fn operations<'a>(document: &'a Document<'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    document.descendants().filter(|node| node.attribute("class").unwrap_or("").split(' ').any(|class| class == "op"))
}

fn id_of(node: &Node<'_, '_>) -> Option<u32> {
    node.attribute("id")?.strip_prefix("op-")?.parse().ok()
}

/// The bar of an operation: left, right, top.
fn extent(node: &Node<'_, '_>) -> (f64, f64, f64) {
    let number = |node: &Node<'_, '_>, name: &str| node.attribute(name).and_then(|text| text.parse::<f64>().ok());
    let bar = node.children().find(|child| child.attribute("class") == Some("bar")).expect("an operation has a bar");
    let (x, y) = (number(node, "data-x").expect("x"), number(node, "data-y").expect("y"));
    (x, x + number(&bar, "width").expect("width"), y)
}

/// All text of the picture, line by line.
fn words(svg: &str) -> String {
    let document = parse(svg);
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    let text =
        |node: Node<'_, '_>| node.descendants().filter_map(|node| node.is_text().then(|| node.text())?).collect();
    texts.map(text).collect::<Vec<String>>().join("\n")
}

/// Do the tags of a page match? Script, style and elements without an end are stepped over.
fn assert_balanced(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if tag.starts_with('!') || tag.starts_with("meta") || tag.ends_with('/') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "before {:?}", &rest[..rest.len().min(80)]);
            continue;
        }
        let name = tag.split_whitespace().next().expect("a tag has a name");
        open.push(name);
        if ["script", "style"].contains(&name) {
            rest = &rest[rest.find(&format!("</{name}>")).expect("it ends")..];
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

/// A large history in which two dequeues, `apart` operations from each other, contradict.
fn large(apart: u32) -> Timeline<'static> {
    let (bars, _) = queue(8, 6_000, 1);
    Timeline {
        highlighted: ids([2_000, 2_000 + apart]),
        fails_at: Some(OperationId(2_000 + apart)),
        ..plain(Outcome::Violation, bars)
    }
}

#[test]
fn a_small_violation_as_a_picture() {
    let picture = svg(&overtaken());
    // The style is the same in all pictures.
    let (start, end) = (picture.find("<style>").expect("a style"), picture.find("</style>").expect("its end"));
    insta::assert_snapshot!(format!("{}{}", &picture[..start], &picture[end + "</style>\n".len()..]));
}

#[test]
fn the_pages_tags_match() {
    let (bars, order) = queue(4, 60, 2);
    let linearizable =
        Timeline { orders: vec![Partial { order, stuck_at: None }], ..plain(Outcome::Linearizable, bars) };
    for timeline in [overtaken(), linearizable, large(40), plain(Outcome::Unknown, Vec::new())] {
        assert_balanced(&html(&timeline));
        parse(&svg(&timeline));
    }
}

#[test]
fn a_page_loads_nothing() {
    let page = html(&overtaken());
    for address in ["http:", "https:", "src=", "@import", "url(\"", "<link"] {
        let namespace = if address == "http:" { page.matches("http://www.w3.org/2000/svg").count() } else { 0 };
        assert_eq!(page.matches(address).count(), namespace, "{address}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn labels_are_inert() {
    let attack =
        "\"'></g></svg></script></style></title><script>alert(1)</script><img src=x onerror=alert(1)>&\0\u{202e}";
    let label = format!("write({attack})");
    let bars = vec![bar(0, &label, 1, 2, 1), bar(1, &label, 3, None, 2)];
    let sentence = format!("{label} but {attack}");
    let timeline = Timeline {
        title: attack,
        sentence: &sentence,
        highlighted: ids([0]),
        orders: vec![Partial { order: ids([0]), stuck_at: Some(OperationId(1)) }],
        ..plain(Outcome::Violation, bars)
    };
    let (page, picture) = (html(&timeline), svg(&timeline));
    assert_balanced(&page);
    let document = parse(&picture);
    assert!(document.descendants().all(|node| !node.has_tag_name("script") && !node.has_tag_name("img")));
    assert_eq!(page.matches("<script").count(), 2, "the data and the script");
    assert!(!page.contains("<img") && !page.contains('\0') && !page.contains('\u{202e}'));
    let label = operations(&document).next().and_then(|node| node.attribute("data-label")).expect("a label");
    assert_eq!(label, format!("write({attack})").replace('\0', "␀").replace('\u{202e}', "\u{fffd}"));
}

#[test]
fn the_scripts_data_has_no_text_of_the_file() {
    let page = html(&overtaken());
    let start = page.find("id=\"data\">").expect("data") + "id=\"data\">".len();
    let data = &page[start..start + page[start..].find("</script>").expect("its end")];
    assert!(data.starts_with("{\"width\":") && !data.contains("enq") && !data.contains('<'), "{data}");
}

#[test]
fn a_small_history_is_drawn_whole() {
    let (bars, _) = queue(16, 320, 3);
    let timeline = plain(Outcome::Violation, bars);
    assert_eq!(drawn(&timeline), (0..320).collect::<Vec<_>>());
    assert!(words(&svg(&timeline)).contains("All 320 operations."));
}

#[test]
fn every_highlighted_operation_is_drawn() {
    for apart in [1, 10, 100, 3_000] {
        let timeline = large(apart);
        let drawn = drawn(&timeline);
        assert!(drawn.len() <= Timeline::WINDOW, "{apart}: {}", drawn.len());
        assert!(timeline.highlighted.iter().all(|id| drawn.contains(&id.0)), "{apart}");
    }
}

#[test]
fn what_overlaps_the_contradiction_is_drawn() {
    let timeline = large(3);
    let drawn = drawn(&timeline);
    let overlaps = |a: &Bar, b: &Bar| a.call <= b.ret.unwrap_or(i64::MAX) && b.call <= a.ret.unwrap_or(i64::MAX);
    for (id, bar) in timeline.bars.iter().enumerate() {
        if timeline.highlighted.iter().any(|other| overlaps(bar, &timeline.bars[other.index()])) {
            assert!(drawn.contains(&(id as u32)), "#{id}");
        }
    }
}

#[test]
fn the_window_says_what_it_does_not_show() {
    let timeline = large(1_000);
    let (count, words) = (drawn(&timeline).len(), words(&svg(&timeline)));
    assert!(
        words.contains(&format!("Showing {count} of 6,000 operations: those around the contradiction.")),
        "{words}"
    );
    // Before, between and after.
    let hidden: Vec<usize> =
        (words.lines()).filter_map(|line| line.strip_suffix(" hidden")?.replace(',', "").parse().ok()).collect();
    assert_eq!((hidden.len(), hidden.iter().sum::<usize>()), (3, 6_000 - count));
}

#[test]
fn processes_without_an_operation_in_the_window_have_no_lane() {
    let mut timeline = large(3);
    for bar in &mut timeline.bars[..1_000] {
        bar.process = 77;
    }
    let words = words(&svg(&timeline));
    assert!(words.contains("process 7") && !words.contains("process 77"));
}

#[test]
fn of_a_contradiction_larger_than_the_window_the_ends_are_drawn() {
    let (bars, _) = queue(4, 5_000, 9);
    let timeline =
        Timeline { highlighted: ids((0..1_000).map(|link| link * 5)), window: 100, ..plain(Outcome::Violation, bars) };
    let drawn = drawn(&timeline);
    let (first, last): (Vec<u32>, Vec<u32>) = drawn.iter().partition(|&&id| id < 2_500);
    assert_eq!((first.len(), last.len()), (50, 50));
    assert!(first.iter().all(|&id| id < 300) && last.iter().all(|&id| id > 4_700));
    let notes = words(&svg(&timeline));
    assert!(
        notes.contains("The contradiction has 1,000 operations; only its first and last ones are shown, 100 together.")
    );
}

#[test]
fn operations_that_are_pending_since_long_before_do_not_flood_the_window() {
    let mut timeline = large(3);
    for bar in &mut timeline.bars[..1_000] {
        bar.ret = None;
    }
    assert!(drawn(&timeline).iter().all(|&id| id >= 1_000));
    assert!(words(&svg(&timeline)).contains("1,000 operations still pending from before are not shown."));
}

#[test]
fn a_thousand_operations_at_once_do_not_flood_the_window() {
    let bars: Vec<Bar> = (0..1_000).map(|process| bar(process, "op()", 1, 2, 0)).collect();
    let timeline = Timeline { highlighted: ids([500]), ..plain(Outcome::Violation, bars) };
    let drawn = drawn(&timeline);
    assert!(drawn.contains(&500) && drawn.len() <= Timeline::WINDOW);
    assert!(words(&svg(&timeline)).contains("680 operations that ran at the same time are not shown."));
}

#[test]
fn an_undecided_history_is_shown_where_the_longest_order_is_stuck() {
    let (bars, order) = queue(4, 10_000, 4);
    let stuck = order[7_000];
    let orders = vec![
        Partial { order: order[..10].to_vec(), stuck_at: Some(order[10]) },
        Partial { order: order[..7_000].to_vec(), stuck_at: Some(stuck) },
    ];
    let timeline = Timeline { orders, ..plain(Outcome::Unknown, bars) };
    assert!(drawn(&timeline).contains(&stuck.0));
    assert!(words(&svg(&timeline)).contains("those around where the longest attempt got stuck."));
}

#[test]
fn bars_of_a_row_do_not_overlap_and_labels_fit() {
    for timeline in [large(5), large(500), plain(Outcome::Unknown, queue(3, 100, 8).0)] {
        let picture = svg(&timeline);
        let document = parse(&picture);
        let mut extents: Vec<(f64, f64, f64)> = operations(&document).map(|node| extent(&node)).collect();
        extents.sort_by(|a, b| (a.2, a.0).partial_cmp(&(b.2, b.0)).expect("numbers"));
        for pair in extents.windows(2) {
            assert!(pair[0].2 < pair[1].2 || pair[0].1 < pair[1].0, "{pair:?}");
        }
        assert!(!words(&picture).contains('…'), "all of these labels are short");
    }
}

#[test]
fn a_pending_operation_has_its_row_for_itself() {
    let bars = vec![bar(0, "a()", 1, None, 1), bar(0, "b()", 2, 3, 2), bar(0, "c()", 4, 5, 3)];
    let picture = svg(&plain(Outcome::Unknown, bars));
    let document = parse(&picture);
    let rows: Vec<f64> = operations(&document).map(|node| extent(&node).2).collect();
    assert!(rows[0] < rows[1] && rows[1] == rows[2], "{rows:?}");
}

#[test]
fn points_are_on_their_bars_and_in_order() {
    let (bars, order) = queue(6, 300, 6);
    let timeline = Timeline {
        orders: vec![Partial { order: order.clone(), stuck_at: None }],
        ..plain(Outcome::Linearizable, bars)
    };
    let picture = svg(&timeline);
    let document = parse(&picture);
    let line = document.descendants().find(|node| node.has_tag_name("polyline")).expect("a line");
    let numbers: Vec<f64> =
        line.attribute("points").expect("points").split(' ').map(|number| number.parse().expect("a number")).collect();
    let xs: Vec<f64> = numbers.chunks(2).map(|point| point[0]).collect();
    assert_eq!(xs.len(), order.len());
    assert!(xs.is_sorted());
    for (id, x) in order.iter().zip(xs) {
        let node = operations(&document).find(|node| id_of(node) == Some(id.0)).expect("it is drawn");
        let (left, right, _) = extent(&node);
        assert!(left < x && x < right, "{id}: {left} {x} {right}");
    }
}

#[test]
fn an_operation_comes_with_the_longest_order_that_contains_it() {
    let mut timeline = overtaken();
    let partial =
        |order: &[u32], stuck| Partial { order: ids(order.iter().copied()), stuck_at: Some(OperationId(stuck)) };
    timeline.orders = vec![partial(&[0], 1), partial(&[1, 2], 3), partial(&[0, 1], 2)];
    let page = html(&timeline);
    // Orders are numbered as given: #0 is in the third, #1 and #2 in the second, where #3 is stuck.
    assert!(page.contains("\"orderOf\":[1,0,0,0]"), "only two of them are needed");
    assert_eq!(page.matches("\"points\":").count(), 2);
}

#[test]
fn only_what_the_window_shows_of_an_order_is_in_the_page() {
    let (bars, order) = queue(8, 30_000, 1);
    let timeline = Timeline {
        highlighted: ids([15_000]),
        orders: vec![Partial { order, stuck_at: None }],
        ..plain(Outcome::Violation, bars)
    };
    assert!(html(&timeline).len() < 120_000);
}

#[test]
fn the_sentence_links_to_the_bars_it_names() {
    let mut timeline = overtaken();
    timeline.bars[3].label = "deq() → 2".into();
    timeline.sentence =
        "`deq() → 2` and deq() → 2 are results, one of #2, not xenq(1), enq(12) or #9; see enq(1) at line 4.";
    let page = html(&timeline);
    let start = page.find("<p class=\"explanation\">").expect("the sentence");
    let sentence = &page[start..start + page[start..].find("</p>").expect("its end")];
    let links: Vec<&str> = sentence.split("href=\"#op-").skip(1).map(|rest| &rest[..1]).collect();
    assert_eq!(links, ["2", "3", "2", "0", "1"], "{sentence}");
    assert!(!sentence.contains('`'));
}

#[test]
fn a_line_behind_a_label_says_which_of_several_is_meant() {
    let mut timeline = overtaken();
    timeline.bars[3].label = "deq() → 2".into();
    timeline.sentence = "deq() → 2 (line 8) came after deq() → 2 (line 6).";
    let page = html(&timeline);
    assert!(
        page.contains("<b>A</b><code>deq() → 2</code></a> (<a class=\"ref plain short\" href=\"#op-3\">"),
        "{page}"
    );
}

#[test]
fn ids_that_are_not_there_are_ignored() {
    let mut timeline = overtaken();
    timeline.highlighted.extend(ids([99]));
    timeline.fails_at = Some(OperationId(99));
    timeline.orders.push(Partial { order: ids([99, 0]), stuck_at: Some(OperationId(98)) });
    assert_eq!(drawn(&timeline), [0, 1, 2, 3]);
}
