import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../../src/platform/package-root.js';
import { released } from './contract-changes.js';
import * as edits from './contract-edits.js';
import { type Change, type Node, type Place, pointer, prepend, put } from './contract-edits.js';
import { basesOf } from './mutation-bases.js';

export type Verdict = 'none' | 'editorial' | 'additive' | 'breaking';

/** A change of the released contract, and the expected verdict for each location. */
export interface Mutation {
  readonly kind: string;
  readonly title: string;
  /** Mutations of one group do not overlap. */
  readonly group: number;
  readonly before: readonly Change[];
  readonly change: Change;
  readonly expected: Readonly<Record<string, Verdict>>;
}

interface Edit {
  readonly put?: Place;
  readonly value?: unknown;
  readonly remove?: Place;
  readonly append?: Place;
  readonly prepend?: Place;
  readonly key?: string;
  readonly reverse?: Place;
  readonly rename?: Place;
  readonly to?: string;
  readonly appendText?: Place;
  readonly at?: Place;
}

/** A row of a table: see test/all/contract/mutations/README.md. */
export interface Row extends Edit {
  readonly kind: string;
  readonly group: number;
  readonly verdict: Verdict;
  readonly when?: Place;
  readonly unless?: Place;
  readonly in?: string;
  readonly before?: Edit;
  readonly also?: Readonly<Record<string, Verdict>>;
}

export function readTable<T>(name: string): readonly T[] {
  const file = path.join(packageRoot, 'test', 'all', 'contract', 'mutations', `${name}.yaml`);
  return parse(readFileSync(file, 'utf8')) as T[];
}

/** Every row of a table at every location that it applies to. */
export function editMutations(table: string): readonly Mutation[] {
  const shared = table === 'document' ? undefined : basesOf(table, {});
  return readTable<Row>(table).flatMap((row) =>
    (shared ?? basesOf(table, row)).filter((base) => fits(row, base)).map((base) => mutationOf(row, base)),
  );
}

function fits({ when, unless, in: location }: Row, base: Place): boolean {
  const has = (part: Place) => edits.valueAt(released, [...base, ...concrete(part, base)]) !== undefined;
  if (location !== undefined && edits.valueAt(released, [...base, 'in']) !== location) return false;
  return (when === undefined || has(when)) && (unless === undefined || !has(unless));
}

function mutationOf(row: Row, base: Place): Mutation {
  const change = changeOf(row, base);
  const also = Object.entries(row.also ?? {}).map(([at, verdict]) => [
    `${base.length > 0 ? pointer(base) : '#'}/${at}`,
    verdict,
  ]);
  return {
    kind: row.kind,
    title: `${row.kind} (${change.at})`,
    group: row.group,
    before: row.before === undefined ? [] : [changeOf(row.before, base)],
    change,
    expected: { ...Object.fromEntries(also), [change.at]: row.verdict },
  };
}

function changeOf(row: Edit, base: Place): Change {
  const resolve = (part: Place): Place => {
    const parts = concrete(part, base);
    return parts[0] === '..' ? [...base.slice(0, -1), ...parts.slice(1)] : [...base, ...parts];
  };
  const at = row.at && resolve(row.at);
  if (row.put) return put(resolve(row.put), row.value, at);
  if (row.remove) return edits.remove(resolve(row.remove), at);
  if (row.reverse) return edits.reverse(resolve(row.reverse), at);
  if (row.rename) return edits.rename(resolve(row.rename), row.to as string, at);
  if (row.prepend) {
    const place = resolve(row.prepend);
    return prepend(place, row.value, at ?? place, row.key);
  }
  if (row.append) {
    const place = resolve(row.append);
    const { length } = edits.valueAt(released, place) as unknown[];
    return edits.append(place, row.value, at ?? [...place, length]);
  }
  const place = resolve(row.appendText as Place);
  return put(place, `${edits.valueAt(released, place)}${row.value}`, at);
}

/** Replaces the placeholders for the first success, the first error and the first media types. */
function concrete(part: Place, base: Place): Place {
  const keys = (...place: Place) => Object.keys((edits.valueAt(released, [...base, ...place]) as Node) ?? {});
  const success = keys('responses').find((status) => status.startsWith('2')) ?? '';
  const words: Record<string, string | undefined> = {
    $success: success,
    $error: keys('responses').find((status) => status.startsWith('4')),
    $type: [...keys('responses', success, 'content'), ...keys('content')][0],
    $sent: keys('requestBody', 'content')[0],
  };
  return part.map((key) => (String(key) in words ? (words[key] ?? '') : key));
}
