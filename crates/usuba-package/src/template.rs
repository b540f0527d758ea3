//! Texts with places to fill in.
//!
//! `@name@` stands for a value. Lines from `@if name` to `@end` are there if the condition holds; they may be nested.

/// What fills a template.
#[derive(Clone, Debug, Default)]
pub struct Values {
    texts: Vec<(&'static str, String)>,
    conditions: Vec<(&'static str, bool)>,
}

impl Values {
    /// A value for `@name@`.
    pub fn text(mut self, name: &'static str, value: impl ToString) -> Values {
        self.texts.push((name, value.to_string()));
        self
    }

    /// A condition for `@if name`.
    pub fn when(mut self, name: &'static str, holds: bool) -> Values {
        self.conditions.push((name, holds));
        self
    }

    /// The text with all places filled in. What has no value is left as it stands.
    pub fn fill(&self, template: &str) -> String {
        let mut text = String::new();
        let mut open: Vec<bool> = Vec::new();
        for line in template.lines() {
            if let Some(name) = line.strip_prefix("@if ") {
                let known = self.conditions.iter().find(|(known, _)| *known == name);
                open.push(known.is_some_and(|(_, holds)| *holds));
            } else if line == "@end" {
                open.pop();
            } else if open.iter().all(|&holds| holds) {
                text += line;
                text.push('\n');
            }
        }
        for (name, value) in &self.texts {
            text = text.replace(&format!("@{name}@"), value);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Values;

    #[test]
    fn places_and_conditions() {
        let values = Values::default().text("stem", "des").when("ctr", false).when("ecb", true);
        let template =
            "int @stem@;\n@if ctr\nint c;\n@if ecb\nint d;\n@end\n@end\n@if ecb\nint e;\n@end\nint f;\n";
        assert_eq!(values.fill(template), "int des;\nint e;\nint f;\n");
    }
}
