import { Marked, Renderer, type Token } from 'marked';
import type { Contract, ProblemCode } from '../../src/platform/contract/contract.js';
import { problemSlug } from '../../src/platform/problems/problem.js';

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

const versionHeading = /^(?<version>\d+\.\d+\.\d+) \((?<date>unreleased|\d{4}-\d\d-\d\d)\)$/;

/**
 * Renders the changelog as HTML. Names of operations and error codes link to their pages.
 *
 * @throws {Error} when a link leads to a file that the server does not publish
 */
export function renderChangelog(changelog: string, contract: Contract): Changelog {
  const markdown = createRenderer(pagesOf(contract));
  const render = (text: string) => markdown.parse(text.trim(), { async: false });
  const [introduction = '', ...sections] = changelog.split(/^(?=## )/m);
  return {
    introduction: render(introduction.replace(/^# .*\n/, '')),
    sections: sections.map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const title = heading.slice('## '.length);
      const { version = null, date = null } = versionHeading.exec(title)?.groups ?? {};
      return {
        id: version ?? title.toLowerCase().replaceAll(' ', '-'),
        title,
        version,
        date: date === 'unreleased' ? null : date,
        html: render(lines.join('\n')),
      };
    }),
  };
}

/** The page of each operation and each error code, by name. */
function pagesOf({ operations, problems }: Contract): ReadonlyMap<string, string> {
  const codes = Object.keys(problems) as ProblemCode[];
  return new Map<string, string>([
    ...codes.map((code) => [code, `/errors/${problemSlug(code)}`] as const),
    ...[...operations.keys()].map((id) => [id, `/docs/operations/${id}`] as const),
  ]);
}

function createRenderer(pages: ReadonlyMap<string, string>): Marked {
  const renderer = new Renderer();
  const linked = new WeakSet<Token>();
  return new Marked({
    walkTokens(token) {
      if (token.type !== 'link') return;
      token.href = published(token.href);
      for (const child of token.tokens ?? []) linked.add(child);
    },
    renderer: {
      codespan(token) {
        const code = renderer.codespan(token);
        const page = pages.get(token.text);
        return page === undefined || linked.has(token) ? code : `<a href="${page}">${code}</a>`;
      },
    },
  });
}

/** The URL of a linked file on the server. */
function published(target: string): string {
  if (/^https?:/.test(target)) return target;
  if (target !== 'openapi/v1.yaml') {
    throw new Error(`CHANGELOG.md links to ${target}, which is not published`);
  }
  return `/${target}`;
}
