import type { Random } from '../input/random.js';
import { hostileTexts, hostileValues } from './hostile-values.js';
import type { Resolve, Schema } from './operations.js';

export interface SchemaValues {
  /** A value that the schema allows, often at one of its bounds. */
  valid(schema: Schema): unknown;
  /** The value with one change. */
  mutated(value: unknown): unknown;
}

/** Generates values from the schemas of a contract. */
export function schemaValues({ resolve, random }: { resolve: Resolve; random: Random }): SchemaValues {
  function valid(given: Schema): unknown {
    const schema = resolve(given);
    const options = schema.oneOf ?? schema.anyOf;
    if (options !== undefined) return valid(random.pick(options));
    if (schema.enum !== undefined) return random.pick(schema.enum);
    const type = typeof schema.type === 'string' ? schema.type : random.pick(schema.type ?? []);
    switch (type) {
      case 'null':
        return null;
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
        return number(schema);
      case 'array':
        return list(schema);
      case 'object':
        return object(schema);
      default:
        return text(schema);
    }
  }

  function number({ minimum = 0, maximum = 1_000_000 }: Schema): number {
    return random.pick([
      minimum,
      maximum,
      minimum + 1,
      minimum + random.upTo(Math.min(maximum - minimum, 100)),
    ]);
  }

  function text({ minLength = 0, maxLength = 40, pattern, format }: Schema): string {
    if (format === 'date-time') return random.pick(['2026-01-01T00:00:00Z', '2026-06-30T12:00:00.5+02:00']);
    const fitting = pattern === undefined ? undefined : new RegExp(pattern, 'u');
    const candidates = [
      ...fits,
      random.text(minLength || 1),
      random.text(Math.min(maxLength, 255)),
      random.text(minLength + random.upTo(Math.min(maxLength - minLength, 30) + 1)),
    ].filter(
      (candidate) =>
        candidate.length >= minLength && candidate.length <= maxLength && (fitting?.test(candidate) ?? true),
    );
    return candidates.length === 0 ? random.text(minLength || 1) : random.pick(candidates);
  }

  function list({ minItems = 0, maxItems = 3, items = {} }: Schema): unknown[] {
    const length = minItems + random.upTo(Math.min(maxItems, 8) - minItems + 1);
    const made = Array.from({ length }, () => valid(items));
    // The items of most lists must be unique.
    return random.chance(0.8) ? [...new Set(made)] : made;
  }

  function object({ properties = {}, required = [] }: Schema): object {
    const chosen = Object.keys(properties).filter((name) => required.includes(name) || random.chance(0.4));
    if (chosen.length === 0) chosen.push(random.pick(Object.keys(properties)));
    return Object.fromEntries(chosen.map((name) => [name, valid(properties[name] ?? {})]));
  }

  function mutated(value: unknown): unknown {
    if (value !== null && typeof value === 'object' && random.chance(0.8)) return mutatedMembers(value);
    return random.chance(0.5) ? random.pick(hostileTexts) : random.pick(hostileValues);
  }

  function mutatedMembers(value: object): object {
    const copy = structuredClone(value) as Record<string, unknown>;
    const keys = Object.keys(copy);
    const key = random.pick(keys);
    const change = random.weighted({ change: 5, drop: 1, add: 1, repeat: 1 });
    if (change === 'add' || keys.length === 0) {
      const hostile = random.pick(hostileValues);
      if (Array.isArray(copy)) copy.push(hostile);
      else copy[random.pick(['colour', 'id', 'account_id', 'created_at', 'email', ''])] = hostile;
    } else if (change === 'drop') delete copy[key];
    else if (change === 'repeat' && Array.isArray(copy)) copy.push(...copy, ...copy);
    else copy[key] = mutated(copy[key]);
    return copy;
  }

  return { valid, mutated };
}

/** Texts that match patterns of the contract. Each is used where it matches. */
const fits = [
  'last_name',
  '-email,last_name',
  'title,-created_at',
  '-count',
  'first_name,status',
  '"1"',
  'W/"1", "2"',
  '*',
  'https://pictures.example/1.png',
  'de-CH',
  'Europe/Zurich',
  '+41 44 668 18 00',
  '+41446681800',
  'code',
  'S256',
];
