/** A part of a bar in the picture. Lengths are in pixels or percent. */
export interface DrawnPart {
  readonly tone: number;
  readonly start: number;
  readonly length: number;
}

/** A chart of a page. */
export interface DrawnChart {
  readonly title: string;
  readonly description: string;
  /** The parts of each bar, in order. */
  readonly bars: readonly (readonly DrawnPart[])[];
  /** Tooltip of each bar. */
  readonly barTitles: readonly string[];
  /** Value and position of each line of the vertical axis. */
  readonly grid: readonly { readonly text: string; readonly y: number }[];
}

const number = (text: string, name: string) =>
  Number.parseFloat(new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1] ?? '');

/** Parses the picture with this id from the HTML of a page. */
export function drawnChart(html: string, id: string): DrawnChart {
  const start = html.lastIndexOf('<svg', html.indexOf(`id="${id}-title"`));
  const svg = html.slice(start, html.indexOf('</svg>', start));
  const isColumns = svg.startsWith('<svg class="columns"');
  const groups = [...svg.matchAll(/<(g|a)(?: href="[^"]*")?><title>(.*?)<\/title>(.*?)<\/\1>/gs)];
  return {
    title: /<title id="[^"]*">(.*?)<\/title>/.exec(svg)?.[1] ?? '',
    description: /<desc id="[^"]*">(.*?)<\/desc>/.exec(svg)?.[1] ?? '',
    barTitles: groups.map(([, , title = '']) => title),
    bars: groups.map(([, , , body = '']) =>
      [...body.matchAll(/<rect class="bar"[^>]*>/g)].map(([rect]) => ({
        tone: Number(/tone-(\d+)/.exec(rect)?.[1]),
        start: number(rect, isColumns ? 'y' : 'x'),
        length: number(rect, isColumns ? 'height' : 'width'),
      })),
    ),
    grid: [...svg.matchAll(/<line class="grid"[^>]* y1="([\d.]+)"[^>]*><\/line><text[^>]*>([^<]*)</g)].map(
      ([, y, text = '']) => ({ text, y: Number(y) }),
    ),
  };
}
