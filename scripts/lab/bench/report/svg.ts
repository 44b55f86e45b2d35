import type { Results } from './results.js';

export type Role = 'ours' | 'limit' | 'express' | 'oidc-provider';

/** The result of one server in a scenario: requests per processor second, median over the rounds. */
export interface ChartBar {
  readonly role: Role;
  readonly value: number;
}

const names: Readonly<Record<Role, string>> = {
  ours: 'this server',
  limit: 'limit (Fastify + pg)',
  express: 'Express',
  'oidc-provider': 'oidc-provider',
};

const width = 760;
const margin = 16;
const labelWidth = 150;
const valueWidth = 150;
const header = 52;
const titleHeight = 26;
const barHeight = 16;
const barStep = 21;
const groupGap = 12;

const style = `
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #57606a }
  .heading { font-size: 14px; font-weight: 600; fill: #1f2328 }
  .scenario { font-weight: 600; fill: #1f2328 }
  .name { text-anchor: end }
  .ours { fill: #0969da } .limit { fill: #8c959f } .express { fill: #bf8700 } .oidc-provider { fill: #8250df }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 } .heading, .scenario { fill: #f0f6fc }
    .ours { fill: #4493f8 } .limit { fill: #656c76 } .express { fill: #d29922 } .oidc-provider { fill: #ab7df8 }
  }`;

const count = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });

/**
 * Draws the results as horizontal bars, grouped by scenario. Every scenario has its own scale: the longest bar has the full
 * width.
 */
export function renderChart({ run, findings }: Results): string {
  const groups = findings.flatMap(({ title, chart = [] }) => (chart.length === 0 ? [] : [{ title, chart }]));
  let top = header;
  const drawn = groups.map(({ title, chart }) => {
    const group = drawGroup(title, chart, top);
    top += titleHeight + chart.length * barStep + groupGap;
    return group;
  });
  const date = new Map(run).get('Date') ?? '';
  const summary = groups.map(({ title, chart }) => {
    const bars = chart.map(({ role, value }) => `${names[role]} ${count.format(value)}`);
    return `${title}: ${bars.join(', ')}.`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" role="img" aria-labelledby="title desc">
<title id="title">Requests per processor second</title>
<desc id="desc">${escaped(summary.join(' '))}</desc>
<style>${style}
</style>
<text class="heading" x="${margin}" y="22">Requests per processor second of the server</text>
<text x="${margin}" y="40">${escaped(`Median, ${date.slice(0, 10)}. Longer is better. Every scenario has its own scale.`)}</text>
${drawn.join('\n')}
</svg>
`;
}

function drawGroup(title: string, chart: readonly ChartBar[], top: number): string {
  const most = Math.max(...chart.map(({ value }) => value));
  const left = margin + labelWidth + 8;
  const scale = (width - left - valueWidth) / most;
  const ours = chart.find(({ role }) => role === 'ours')?.value;
  const bars = chart.map(({ role, value }, index) => {
    const y = top + titleHeight + index * barStep;
    const length = Math.max(1, value * scale);
    const ratio = role === 'ours' || ours === undefined ? '' : ` (ours ${(ours / value).toFixed(1)} ×)`;
    return `<text class="name" x="${margin + labelWidth}" y="${y + 12}">${escaped(names[role])}</text>
<rect class="${role}" x="${left}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>
<text x="${(left + length + 6).toFixed(1)}" y="${y + 12}">${count.format(value)}${ratio}</text>`;
  });
  return `<text class="scenario" x="${margin}" y="${top + 16}">${escaped(title)}</text>\n${bars.join('\n')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
