//! What typed programs are, by proof: the layers of a block cipher, rounds of AES, multiplication in GF(2^n).
//!
//! Nothing is tried on examples. A program, of bits or of words, is run on sums modulo 2 of symbols, exact matrices are read off
//! the sums, and they are compared with those of what is recognised. Whatever is not recognised has a [`why::Why`]: a sentence, and
//! the place where the form breaks. No machine and no C is known here.
//!
//! An instance of a program is asked about by its number, so that a stage that works on the program can ask about what it meets;
//! [`recognise()`] is for callers who do not know what to expect.
//!
//! Reading order: [`sums`] (what a bit is), [`mod@run`] (a program on them), [`layers`] (byte tables between affine maps), [`aes`]
//! (which of them are rounds of AES), [`inversion`] (tables that are inversion in GF(2^8)); [`field`] (GF(2^n) and the order of
//! coefficients), [`mod@bilinear`] (what each bit of two inputs is), [`mod@product`] (multiplication), [`polynomial`] (sums of
//! products, such as GHASH), [`orbit`] (linear maps, powers of x), [`fallback`] (texts for machines without the instruction);
//! [`mod@recognise`] (all of them), [`describe`] (that in a line), [`why`] (why not).
//!
//! [`recognise()`]: recognise::recognise

pub mod aes;
pub mod bilinear;
pub mod describe;
pub mod fallback;
pub mod field;
pub mod inversion;
pub mod layers;
pub mod orbit;
pub mod polynomial;
pub mod product;
pub mod recognise;
pub mod run;
pub mod sums;
pub mod why;
