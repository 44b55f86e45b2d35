import { readFileSync } from 'node:fs';
import path from 'node:path';
import { labRoot } from '../../kit/paths.js';
import { markdown } from '../../kit/table.js';
import type { NamedFinding } from './results.js';

/** A measured ratio below this share of the recorded one is a warning. Smaller differences occur between two runs. */
const warningShare = 0.9;

/** @returns a table of the ratios with a lower bound, each beside the one of the last run that was written, and the warnings */
export function compareWithRecorded(findings: readonly NamedFinding[]): string {
  const recorded = readRecorded();
  const rows = findings.flatMap(({ title, bars }) =>
    bars
      .filter(({ bound }) => bound.atLeast !== undefined)
      .map(({ text, found }) => ({ title, text, now: found.median, before: recorded.get(title)?.get(text) })),
  );
  const table = markdown({
    columns: ['', '', 'now', 'recorded'],
    rows: rows.map(({ title, text, now, before }) => [
      title,
      text,
      now.toFixed(2),
      before === undefined ? '' : before.toFixed(2),
    ]),
  });
  const warnings = rows
    .filter(({ now, before }) => before !== undefined && now < warningShare * before)
    .map(
      ({ title, text }) => `warning: ${title}, ${text}: less than ${warningShare} of the recorded ratio\n`,
    );
  return `\n${table}\n\n${warnings.join('')}`;
}

/** The medians in RESULTS.md, by the title of the scenario and the text of the bar. */
function readRecorded(): Map<string, Map<string, number>> {
  const sections = readFileSync(path.join(labRoot, 'bench', 'RESULTS.md'), 'utf8')
    .split('\n## ')
    .slice(1);
  return new Map(
    sections.map((section) => {
      const [title = '', ...lines] = section.split('\n');
      const rows = lines.map((line) => line.split('|').map((cell) => cell.trim()));
      return [title, new Map(rows.map(([, text = '', median]) => [text, Number(median)]))];
    }),
  );
}
