/** What a prompt template may ask for. `body` is JSON text. */
export interface TemplateValues {
  body: string;
  id: string;
  timestamp: string;
}

export type Template = (values: TemplateValues) => string;

/**
 * A text with the placeholders `{{body}}`, `{{id}}` and `{{timestamp}}`; others stay as they are. Values are put in and
 * never looked at again: a placeholder inside a body is only text.
 */
export function parseTemplate(text: string): Template {
  const parts = text.split(/\{\{(body|id|timestamp)\}\}/);
  return (values) =>
    parts.map((part, index) => (index % 2 === 0 ? part : values[part as keyof TemplateValues])).join('');
}
