//! The papers' tables, theirs and ours side by side. Each module reproduces one paper and returns rows; printing them is
//! up to who asks.

pub mod causes;
pub mod cdsspec;
pub mod cgvt;
pub mod fgvt;
mod row;
pub mod violat;

pub use row::{Row, render};
