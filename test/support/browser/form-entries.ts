/** The fields of the form of a page as a browser sends them: with texts of several lines, and only the checkboxes that are checked. */
export function formEntries(html: string): string[][] {
  const fields =
    /<input (?:[^>"]|"[^"]*")*>|<(?:select|textarea) (?:[^>"]|"[^"]*")*>.*?<\/(?:select|textarea)>/gs;
  const main = html.slice(html.indexOf('<main'));
  return [...main.matchAll(fields)].flatMap(([field]) => {
    const name = /\sname="([^"]*)"/.exec(field)?.[1];
    if (name === undefined || (/type="(?:checkbox|radio)"/.test(field) && !/\schecked[\s/>]/.test(field)))
      return [];
    return [[name, decode(fieldValue(field))]];
  });
}

/** The fields of a form with others in place of some; several values are those of checkboxes. */
export function changedEntries(
  html: string,
  changes: Readonly<Record<string, string | readonly string[]>>,
): string[][] {
  return [
    ...formEntries(html).filter(([name = '']) => !Object.hasOwn(changes, name)),
    ...Object.entries(changes).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
  ];
}

function fieldValue(field: string): string {
  const [, area] = /^<textarea (?:[^>"]|"[^"]*")*>(.*)<\/textarea>$/s.exec(field) ?? [];
  if (area !== undefined) return area;
  if (!field.startsWith('<select')) return /\svalue="([^"]*)"/.exec(field)?.[1] ?? '';
  const options = field.match(/<option(?:[^>"]|"[^"]*")*>/g) ?? [];
  const selected = options.find((option) => /\sselected[\s/>]/.test(option)) ?? options[0] ?? '';
  return /\svalue="([^"]*)"/.exec(selected)?.[1] ?? '';
}

function decode(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
