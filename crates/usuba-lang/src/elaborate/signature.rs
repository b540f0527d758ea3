//! From written declarations to an [`Interface`]: sizes evaluated, variables of sizes and directions numbered.

use super::messages;
use super::report::Report;
use super::statics;
use super::types::{
    Declared, DeclaredType, DirectionTerm, Interface, MAX_WORD, MAX_WORDS, Numbers, SizeTerm, Variables,
    WordType,
};
use crate::ast::{self, BaseType, Bodies};
use crate::source::Span;

/// What a declaration declares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Input,
    Output,
    Local,
}

/// Reads the declarations of a definition at a scale, of which `numbers` are the public numbers and `keys` the round
/// keys of the cipher parameter; `None` if something is wrong with them, which has then been reported.
pub(super) fn interface<'p>(
    definition: &'p ast::Definition,
    numbers: Numbers,
    keys: Option<&WordType>,
    report: &mut Report,
) -> Option<Interface<'p>> {
    let before = report.failures();
    let parameter = definition.cipher.as_ref().map(|name| name.text.as_str());
    let mut reader = Reader { variables: Variables::default(), report, numbers, parameter, keys };
    let inputs = reader.declarations(&definition.inputs, Role::Input);
    let outputs = reader.declarations(&definition.outputs, Role::Output);
    let visible_sizes = reader.variables.sizes.len();
    let visible_directions = reader.variables.directions.len();
    let locals = match &definition.bodies {
        Bodies::Node(bodies) => {
            bodies.iter().map(|body| reader.declarations(&body.locals, Role::Local)).collect()
        }
        Bodies::Perm(_) | Bodies::Table(_) => Vec::new(),
    };
    let Reader { variables, numbers, .. } = reader;
    if definition.outputs.is_empty() {
        // The parser has said so.
        report.note_failure();
    }
    if !matches!(definition.bodies, Bodies::Node(_)) {
        for nat in inputs.iter().filter(|input| matches!(input.ty, DeclaredType::Nat)) {
            report.add(messages::nat_misplaced(nat.name, "a table or a permutation has no use for it"));
        }
    }
    if report.failures() > before {
        return None;
    }
    Some(Interface { inputs, outputs, locals, variables, visible_sizes, visible_directions, numbers })
}

struct Reader<'r> {
    variables: Variables,
    report: &'r mut Report,
    numbers: Numbers,
    /// The name of the cipher parameter.
    parameter: Option<&'r str>,
    /// Its round keys.
    keys: Option<&'r WordType>,
}

impl Reader<'_> {
    fn declarations<'p>(&mut self, declarations: &'p [ast::Declaration], role: Role) -> Vec<Declared<'p>> {
        let mut declared = Vec::new();
        for declaration in declarations {
            let Some(ty) = self.ty(&declaration.ty, role, declaration) else { continue };
            for name in &declaration.names {
                let constant = declaration.constant.filter(|_| role == Role::Input);
                let uniform = declaration.uniform.filter(|_| role == Role::Input);
                declared.push(Declared { name, ty: ty.clone(), constant, uniform });
            }
        }
        declared
    }

    fn ty(&mut self, ty: &ast::Type, role: Role, declaration: &ast::Declaration) -> Option<DeclaredType> {
        let mut dimensions = Vec::new();
        for dimension in &ty.dimensions {
            dimensions.push(self.dimension(dimension)?);
        }
        let (size, count, direction) = match &ty.base {
            BaseType::Nat => {
                let name = declaration.names.first()?;
                if role == Role::Local {
                    // One that is read has been reported; another means nothing.
                    return None;
                }
                if role == Role::Output {
                    self.report.add(messages::nat_misplaced(name, "only an input can be a `nat`"));
                    return None;
                }
                if !dimensions.is_empty() {
                    self.report.add(messages::nat_misplaced(name, "a `nat` is a single number"));
                    return None;
                }
                return Some(DeclaredType::Nat);
            }
            BaseType::Word { direction, size, count } => {
                (self.size(size, ty.span)?, count.unwrap_or(1), direction)
            }
            BaseType::Bits { direction, count } => (SizeTerm::Bits(1), *count, direction),
            BaseType::Atoms { direction, count } => {
                (self.size(&ast::Size::Variable("m".to_string()), ty.span)?, *count, direction)
            }
            BaseType::Keys(cipher) => {
                let keys = self.keys.filter(|_| self.parameter == Some(cipher.as_str()));
                let Some(keys) = keys.cloned() else {
                    self.report.add(messages::no_cipher_parameter(ty.span, cipher));
                    return None;
                };
                let direction = match keys.direction {
                    DirectionTerm::Variable(_) => self.direction(None, ty.span),
                    fixed => fixed,
                };
                dimensions.extend(&keys.dimensions);
                return self.words(dimensions, keys.size, direction, ty.span);
            }
        };
        if count == 0 {
            self.report.add(messages::zero_size(ty.span));
            return None;
        }
        // `um` and `umx1` are the same type, a single atom.
        if count > 1 {
            dimensions.push(count);
        }
        let direction = self.direction(direction.as_ref(), ty.span);
        self.words(dimensions, size, direction, ty.span)
    }

    fn words(
        &mut self,
        dimensions: Vec<u32>,
        size: SizeTerm,
        direction: DirectionTerm,
        span: Span,
    ) -> Option<DeclaredType> {
        let words = dimensions.iter().fold(1u64, |product, &d| product.saturating_mul(u64::from(d)));
        if words > MAX_WORDS {
            self.report.add(messages::type_too_large(span, MAX_WORDS));
            return None;
        }
        Some(DeclaredType::Words(WordType { dimensions, words: words as u32, size, direction }))
    }

    fn dimension(&mut self, dimension: &ast::Static) -> Option<u32> {
        let of_lengths = statics::mentions_name(dimension);
        match statics::evaluate(dimension, &|name| self.numbers.get(name).copied()) {
            // A length may be 0.
            Ok(0) if of_lengths => Some(0),
            Ok(value) if value < 0 && of_lengths => {
                self.report.add(messages::negative_length(dimension.span, value));
                None
            }
            Ok(value) if value < 1 => {
                self.report.add(messages::zero_size(dimension.span));
                None
            }
            Ok(value) => match u32::try_from(value) {
                Ok(value) => Some(value),
                Err(_) => {
                    self.report.add(messages::type_too_large(dimension.span, MAX_WORDS));
                    None
                }
            },
            Err(error) => {
                self.report.add(messages::size_error(&error));
                None
            }
        }
    }

    fn size(&mut self, size: &ast::Size, span: Span) -> Option<SizeTerm> {
        match size {
            ast::Size::Bits(0) => {
                self.report.add(messages::zero_size(span));
                None
            }
            ast::Size::Bits(bits) if *bits > MAX_WORD => {
                self.report.add(messages::word_too_wide(span, *bits, MAX_WORD));
                None
            }
            ast::Size::Bits(bits) => Some(SizeTerm::Bits(*bits)),
            ast::Size::Variable(name) => {
                let entry = self.variables.sizes.entry(name.clone());
                let index = entry.index();
                entry.or_insert(span);
                Some(SizeTerm::Variable(index))
            }
        }
    }

    fn direction(&mut self, direction: Option<&ast::Direction>, span: Span) -> DirectionTerm {
        let name = match direction {
            Some(ast::Direction::V) => return DirectionTerm::V,
            Some(ast::Direction::H) => return DirectionTerm::H,
            Some(ast::Direction::B) => return DirectionTerm::B,
            Some(ast::Direction::Packed(words)) => return DirectionTerm::Packed(*words),
            Some(ast::Direction::Variable(name)) => name.as_str(),
            None => "D",
        };
        let entry = self.variables.directions.entry(name.to_string());
        let index = entry.index();
        entry.or_insert(span);
        DirectionTerm::Variable(index)
    }
}
