//! What goes to people and programs: whole texts and documents made of findings that [`sample`] has by hand.

mod documents;
mod human;
mod sample;
