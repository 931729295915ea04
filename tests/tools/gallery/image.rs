//! The image of a lesson, as other pages show it beside a link: a PNG in the colours of the dark theme.

use super::lessons::LessonCard;
use super::pictures::{Look, Picture, SIDE, Shape};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
};
use ttf_parser::{Face, OutlineBuilder};

/// Its width in pixels.
pub(crate) const WIDTH: u32 = 1200;
/// Its height in pixels.
pub(crate) const HEIGHT: u32 = 630;

const REGULAR: &[u8] = include_bytes!("fonts/Inter-Regular.ttf");
const BOLD: &[u8] = include_bytes!("fonts/Inter-SemiBold.ttf");

/// Distance of everything from the edges.
const EDGE: f32 = 64.0;
/// The ground of the picture, and the part of it that shapes use.
const GROUND: [f32; 4] = [EDGE, 276.0, WIDTH as f32 - 2.0 * EDGE, 290.0];
const SHAPES: [f32; 4] = [EDGE + 28.0, 326.0, WIDTH as f32 - 2.0 * EDGE - 56.0, 216.0];

const BG: u32 = 0x0c_0f13;
const RAISED: u32 = 0x19_1e26;
const INK: u32 = 0xe9_ecf1;
const INK_2: u32 = 0xae_b6c2;
const INK_3: u32 = 0x8b_95a3;
const ACCENT: u32 = 0xa9_9bff;
const LINE_STRONG: u32 = 0x66_7283;
const PREFILL: u32 = 0x56_b4e9;
const DECODE: u32 = 0x12_a67c;
const MISS: u32 = 0xe8_671b;
const FREE: u32 = 0x23_2933;
/// The heat scale of the dark theme, from little to much.
const HEAT: [u32; 10] = [
    0x00_224e, 0x12_3570, 0x3b_496c, 0x57_5d6d, 0x70_7173, 0x8a_8678, 0xa5_9c74, 0xc3_b369, 0xe1_cc55,
    0xff_e945,
];

/// Draws the image of a lesson: equal cards give equal bytes.
pub(crate) fn image(card: &LessonCard) -> Vec<u8> {
    let mut sheet = Sheet::new();
    sheet.mark(EDGE, 62.0);
    sheet.text("Tokenyard", EDGE + 52.0, 84.0, &Style { size: 30.0, bold: true, colour: INK });
    let said = if card.number > 0 {
        format!("lesson {} · {} · {} min", card.number, card.chapter, card.minutes)
    } else {
        format!("lesson · {} min", card.minutes)
    };
    let small = Style { size: 26.0, bold: false, colour: INK_3 };
    sheet.text_to(&said, WIDTH as f32 - EDGE, 84.0, &small);
    let title = sheet.fitting(&card.title, 54.0);
    sheet.text(&card.title, EDGE, 170.0, &title);
    let about = Style { size: 27.0, bold: false, colour: INK_2 };
    for (line, y) in sheet.lines(&card.about, &about, 2).iter().zip([216.0_f32, 250.0]) {
        sheet.text(line, EDGE, y, &about);
    }
    sheet.picture(&card.picture);
    sheet.pixels.encode_png().expect("memory takes all")
}

/// A size, a weight and a colour.
struct Style {
    size: f32,
    bold: bool,
    colour: u32,
}

struct Sheet {
    pixels: Pixmap,
    regular: Face<'static>,
    bold: Face<'static>,
}

fn paint(colour: u32) -> Paint<'static> {
    let part = |shift: u32| (colour >> shift) as u8;
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(Color::from_rgba8(part(16), part(8), part(0), 255));
    paint
}

fn x(of: u32) -> f32 {
    SHAPES[0] + of as f32 / SIDE as f32 * SHAPES[2]
}

fn y(of: u32) -> f32 {
    SHAPES[1] + SHAPES[3] - of as f32 / SIDE as f32 * SHAPES[3]
}

impl Sheet {
    fn new() -> Self {
        let mut pixels = Pixmap::new(WIDTH, HEIGHT).expect("an image has pixels");
        pixels.fill(Color::from_rgba8((BG >> 16) as u8, (BG >> 8) as u8, BG as u8, 255));
        let face = |bytes| Face::parse(bytes, 0).expect("the fonts of the repository are fonts");
        Self { pixels, regular: face(REGULAR), bold: face(BOLD) }
    }

    fn fill(&mut self, path: Option<Path>, colour: u32) {
        if let Some(path) = path {
            self.pixels.fill_path(&path, &paint(colour), FillRule::Winding, Transform::identity(), None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, colour: u32, width: f32, dash: Option<[f32; 2]>) {
        let Some(path) = path else { return };
        let dash = dash.and_then(|[on, off]| StrokeDash::new(vec![on, off], 0.0));
        let (line_cap, line_join) = (LineCap::Round, LineJoin::Round);
        let line_cap = if dash.is_some() { LineCap::Butt } else { line_cap };
        let stroke = Stroke { width, dash, line_cap, line_join, ..Stroke::default() };
        self.pixels.stroke_path(&path, &paint(colour), &stroke, Transform::identity(), None);
    }

    fn rect(&mut self, [left, top, wide, high]: [f32; 4], colour: u32) {
        self.fill(Rect::from_xywh(left, top, wide.max(0.5), high).map(PathBuilder::from_rect), colour);
    }

    /// The mark of Tokenyard, 36 pixels high.
    fn mark(&mut self, left: f32, top: f32) {
        const SCALE: f32 = 1.8;
        let at = |x: f32, y: f32| (left + x * SCALE, top - 10.0 + y * SCALE);
        let mut path = PathBuilder::new();
        let (x0, y0) = at(2.0, 10.0);
        path.move_to(x0, y0);
        for (x, y) in [(6.0, 10.0), (18.0, 10.0)] {
            let (x, y) = at(x, y);
            path.line_to(x, y);
        }
        for y in [4.0, 16.0] {
            let (from, one, two, to, end) =
                (at(6.0, 10.0), at(10.0, 10.0), at(10.0, y), at(14.0, y), at(18.0, y));
            path.move_to(from.0, from.1);
            path.cubic_to(one.0, one.1, two.0, two.1, to.0, to.1);
            path.line_to(end.0, end.1);
        }
        self.stroke(path.finish(), INK, 1.6 * SCALE, None);
        let (cx, cy) = at(4.0, 10.0);
        self.fill(PathBuilder::from_circle(cx, cy, 2.4 * SCALE), ACCENT);
    }

    fn face(&self, style: &Style) -> &Face<'static> {
        if style.bold { &self.bold } else { &self.regular }
    }

    /// The width of a text in pixels.
    fn width(&self, text: &str, style: &Style) -> f32 {
        let face = self.face(style);
        let units: u32 = glyphs(face, text).map(|(_, advance)| u32::from(advance)).sum();
        units as f32 * style.size / f32::from(face.units_per_em())
    }

    /// Draws a text; letters that the font lacks are left out.
    fn text(&mut self, text: &str, left: f32, base: f32, style: &Style) {
        let mut path = Outline { path: PathBuilder::new(), scale: 0.0, left, base };
        let face = self.face(style);
        path.scale = style.size / f32::from(face.units_per_em());
        for (glyph, advance) in glyphs(face, text) {
            face.outline_glyph(glyph, &mut path);
            path.left += f32::from(advance) * path.scale;
        }
        self.fill(path.path.finish(), style.colour);
    }

    /// Draws a text that ends at `right`.
    fn text_to(&mut self, text: &str, right: f32, base: f32, style: &Style) {
        let width = self.width(text, style);
        self.text(text, right - width, base, style);
    }

    /// The style of a title on one line.
    fn fitting(&self, text: &str, size: f32) -> Style {
        let style = Style { size, bold: true, colour: INK };
        let width = self.width(text, &style);
        let size = size * ((WIDTH as f32 - 2.0 * EDGE) / width.max(1.0)).min(1.0);
        Style { size, ..style }
    }

    /// The first lines of a text.
    fn lines(&self, text: &str, style: &Style, most: usize) -> Vec<String> {
        let mut lines = vec![String::new()];
        for word in text.split_whitespace() {
            let last = lines.last_mut().expect("there is a line");
            let longer = if last.is_empty() { word.to_owned() } else { format!("{last} {word}") };
            if self.width(&longer, style) <= WIDTH as f32 - 2.0 * EDGE {
                *last = longer;
            } else {
                lines.push(word.to_owned());
            }
        }
        if lines.len() > most {
            lines.truncate(most);
            lines[most - 1].push('…');
        }
        lines
    }

    fn picture(&mut self, picture: &Picture) {
        self.rect(GROUND, RAISED);
        let caption = Style { size: 24.0, bold: false, colour: INK_2 };
        self.text(&picture.caption, SHAPES[0], GROUND[1] + 36.0, &caption);
        let range = Style { colour: INK_3, ..caption };
        self.text_to(&picture.range, SHAPES[0] + SHAPES[2], GROUND[1] + 36.0, &range);
        for shape in &picture.shapes {
            self.shape(shape);
        }
        for shape in &picture.shapes {
            if let Shape::Words { at, text } = shape {
                let style = Style { size: 24.0, bold: false, colour: INK_2 };
                if at[0] > SIDE as u32 / 2 {
                    self.text_to(text, x(at[0]), y(at[1]) + 8.0, &style);
                } else {
                    self.text(text, x(at[0]), y(at[1]) + 8.0, &style);
                }
            }
        }
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { points, look } => {
                let mut path = PathBuilder::new();
                for (i, [px, py]) in points.iter().enumerate() {
                    if i == 0 { path.move_to(x(*px), y(*py)) } else { path.line_to(x(*px), y(*py)) }
                }
                let dashed = *look == Look::Dashed;
                let colour = if dashed { INK_3 } else { INK };
                self.stroke(path.finish(), colour, 4.0, dashed.then_some([12.0, 8.0]));
            }
            Shape::Dots { points, look } => self.dots(points, *look),
            Shape::Cells { x: [from, to], columns, digits } => {
                self.cells([x(*from), x(*to)], *columns, digits);
            }
            Shape::Bars { lanes, bars, look } => self.bars(*lanes, bars, *look),
            Shape::Level { y: at } => {
                let mut path = PathBuilder::new();
                path.move_to(GROUND[0], y(*at));
                path.line_to(GROUND[0] + GROUND[2], y(*at));
                self.stroke(path.finish(), MISS, 2.5, Some([14.0, 9.0]));
            }
            // They come last, so that no line crosses them.
            Shape::Words { .. } => {}
        }
    }

    /// Misses are triangles, so that shape says it too.
    fn dots(&mut self, points: &[[u32; 2]], look: Look) {
        let mut path = PathBuilder::new();
        for [px, py] in points {
            let (cx, cy) = (x(*px), y(*py));
            if look == Look::Missed {
                path.move_to(cx - 6.0, cy + 5.0);
                path.line_to(cx + 6.0, cy + 5.0);
                path.line_to(cx, cy - 6.0);
                path.close();
            } else {
                path.push_circle(cx, cy, 4.0);
            }
        }
        self.fill(path.finish(), if look == Look::Missed { MISS } else { INK_3 });
    }

    fn cells(&mut self, [from, to]: [f32; 2], columns: u32, digits: &str) {
        let rows = (digits.len() as u32).div_ceil(columns.max(1)).max(1);
        let (wide, high) = ((to - from) / columns as f32, SHAPES[3] / rows as f32);
        for (i, digit) in digits.bytes().enumerate() {
            let (column, row) = (i as u32 % columns, i as u32 / columns);
            let at = [from + column as f32 * wide, SHAPES[1] + row as f32 * high, wide - 1.5, high - 1.5];
            let value = usize::from(digit.saturating_sub(b'0')).min(HEAT.len() - 1);
            self.rect(at, if value == 0 { FREE } else { HEAT[value] });
        }
    }

    fn bars(&mut self, lanes: u32, bars: &[[u32; 3]], look: Look) {
        let lane = SHAPES[3] / lanes.max(1) as f32;
        let high = (lane * 0.7).min(34.0);
        for [row, from, to] in bars {
            let top = SHAPES[1] + *row as f32 * lane + (lane - high) / 2.0;
            let at = [x(*from), top, x(*to) - x(*from), high];
            let outline = || Rect::from_xywh(at[0], at[1], at[2].max(1.0), at[3]).map(PathBuilder::from_rect);
            match look {
                Look::Waiting => self.stroke(outline(), LINE_STRONG, 2.0, None),
                Look::Missed => self.stroke(outline(), MISS, 2.0, None),
                Look::Prefill => self.rect(at, PREFILL),
                Look::Chunk => self.rect(at, 0x3a_7294),
                Look::Decode => self.rect(at, DECODE),
                Look::Plain | Look::Dashed => self.rect(at, INK_3),
            }
        }
    }
}

/// The glyphs of a text with their advances, in units of the font.
fn glyphs<'a>(
    face: &'a Face<'static>,
    text: &'a str,
) -> impl Iterator<Item = (ttf_parser::GlyphId, u16)> + 'a {
    text.chars().filter_map(move |letter| {
        let glyph = face.glyph_index(letter)?;
        Some((glyph, face.glyph_hor_advance(glyph)?))
    })
}

/// A path in pixels from the outlines of glyphs.
struct Outline {
    path: PathBuilder,
    scale: f32,
    left: f32,
    base: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.left + x * self.scale, self.base - y * self.scale)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
