import type { CustomType, CustomValue } from '../../../src/features/employees/index.js';
import type { Random } from '../input/random.js';
import { changeShownTo, type EmployeeBody, type Resource } from './attribute-access.js';

interface MarkedAttribute {
  readonly key: string;
  readonly type: CustomType;
  readonly choices?: readonly string[];
  readonly sensitive?: boolean;
  /** The form of its values, which nothing else in a response has. Absent: the key alone is searched. */
  readonly mark?: RegExp;
  /** A value with the mark. */
  readonly value: (random: Random) => CustomValue;
}

const levels = ['markedlevel-junior', 'markedlevel-senior', 'markedlevel-lead'];
const tongues = ['markedtongue-en', 'markedtongue-de', 'markedtongue-pt'];

/** Custom attributes of every type except `employee`, with values that {@link marksIn} finds. No key is part of another one. */
export const markedAttributes: readonly MarkedAttribute[] = [
  { key: 'kq_note', type: 'text', mark: /markednote/, value: (random) => `markednote "${random.text(5)}"` },
  {
    key: 'kq_story',
    type: 'long_text',
    mark: /markedstory/,
    value: (random) => `markedstory ${random.text(5)}\nñ ${random.text(5)}`,
  },
  {
    key: 'kq_score',
    type: 'number',
    mark: /\b7311111\d{4}\b/,
    value: (random) => 73_111_110_000 + random.upTo(10_000),
  },
  {
    key: 'kq_salary',
    type: 'number',
    sensitive: true,
    mark: /\b8422222\d{4}\.5\b/,
    value: (random) => 84_222_220_000.5 + random.upTo(10_000),
  },
  {
    key: 'kq_born',
    type: 'date',
    mark: /1801-07-\d\d/,
    value: (random) => `1801-07-${10 + random.upTo(20)}`,
  },
  { key: 'kq_remote', type: 'boolean', value: (random) => random.chance(0.5) },
  {
    key: 'kq_level',
    type: 'choice',
    choices: levels,
    mark: /markedlevel/,
    value: (random) => random.pick(levels),
  },
  {
    key: 'kq_tongues',
    type: 'choices',
    choices: tongues,
    mark: /markedtongue/,
    value: (random) => random.some(tongues, 1 + random.upTo(tongues.length)),
  },
  { key: 'kq_old', type: 'text', mark: /markedold/, value: (random) => `markedold${random.text(5)}` },
];

/** The one that the tests archive after its values are stored. */
export const archivedKey = 'kq_old';

/** The keys of the custom attributes of which a text has the key or a marked value, as it is or encoded as in cursors. */
export function marksIn(text: string): string[] {
  const decoded = [...text.matchAll(/[A-Za-z0-9_-]{12,}/g)].map(([part]) =>
    Buffer.from(part, 'base64url').toString(),
  );
  const searched = [text, ...decoded].join('\n');
  return markedAttributes
    .filter(({ key, mark }) => searched.includes(key) || mark?.test(searched))
    .map(({ key }) => key);
}

/**
 * What is left of a response to an application that may read every custom attribute for one that may read these.
 *
 * @param chosen keys that the account has chosen for the application, known or not
 */
export function customShownTo(body: EmployeeBody, chosen: readonly string[]): EmployeeBody {
  const names = chosen.map((key) => `custom.${key}`);
  const isHidden = (name: string) => name.startsWith('custom.') && !names.includes(name);
  const shown = (resource: Resource): Resource[] => {
    if (resource.type === 'employee_attributes') return isHidden(resource.id) ? [] : [resource];
    if (resource.type === 'employee_changes')
      return changeShownTo(resource, (attribute) => !isHidden(attribute));
    const changed = resource.changed?.filter((name) => !isHidden(name));
    if (resource.type === 'employee.updated' && changed?.length === 0) return [];
    return [
      {
        ...resource,
        ...(resource.attributes && { attributes: withChosen(resource.attributes, chosen) }),
        ...(changed && { changed }),
        ...(resource.resource && { resource: shown(resource.resource)[0] as Resource }),
      },
    ];
  };
  const { data } = body;
  return { ...body, data: isList(data) ? data.flatMap(shown) : (shown(data)[0] ?? []) };
}

function isList(data: EmployeeBody['data']): data is readonly Resource[] {
  return Array.isArray(data);
}

function withChosen(attributes: Readonly<Record<string, unknown>>, chosen: readonly string[]) {
  const { custom, ...others } = attributes;
  if (custom === undefined || chosen.length === 0) return others;
  const left = Object.entries(custom as object).filter(([key]) => chosen.includes(key));
  return { ...others, custom: Object.fromEntries(left) };
}
