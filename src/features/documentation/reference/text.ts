/** A block of code. */
export function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/** A value of JSON as code. */
export function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** An item of a list. Further lines are part of it. */
export function item(text: string): string {
  return `- ${text.trim().replaceAll(/\n(?=.)/g, '\n  ')}`;
}

/** Blocks separated by blank lines; empty ones are omitted. */
export function blocks(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n');
}

/** A section, omitted when it is empty. */
export function section(heading: string, ...parts: readonly (string | undefined)[]): string {
  const content = blocks(...parts);
  return content === '' ? '' : blocks(heading, content);
}

/** A document ends with a line break. */
export function documentOf(...parts: readonly (string | undefined)[]): string {
  return `${blocks(...parts)}\n`;
}
