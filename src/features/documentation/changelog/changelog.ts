import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../../platform/package-root.js';

/** CHANGELOG.md as HTML. */
export interface Changelog {
  readonly introduction: string;
  readonly sections: readonly ChangelogSection[];
}

/** A section of the changelog. Those about a version have its number. */
export interface ChangelogSection {
  readonly id: string;
  readonly title: string;
  readonly version: string | null;
  /** Day of the release, such as `2026-11-22`; `null` for versions that are not released. */
  readonly date: string | null;
  readonly html: string;
}

/** A released version. */
export type Release = ChangelogSection & { readonly version: string; readonly date: string };

/** Built by `scripts/changelog`. */
const file = path.join(packageRoot, 'dist', 'docs', 'changelog.json');

/** @throws {Error} when the changelog has not been built */
export function readChangelog(): Changelog {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The released versions, newest first. */
export function releasesOf({ sections }: Changelog): Release[] {
  return sections.filter((section): section is Release => section.version !== null && section.date !== null);
}
