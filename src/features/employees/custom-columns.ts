import pg from 'pg';
import { Prisma } from '../../platform/database/generated/client.js';
import type { CustomAttribute } from './custom-attributes.js';
import { columnOrder, type EmployeeColumn } from './employee.js';

type Attribute = Pick<CustomAttribute, 'key' | 'type'>;

/** The value of a custom attribute as text: a number, `true` or `false`, a date, or JSON for several choices. */
function valueText({ key }: Attribute): string {
  return `(custom ->> ${pg.escapeLiteral(key)})`;
}

/**
 * A custom attribute as a column of the table `employees`. Yes and no are the texts `true` and `false`, and several choices are JSON.
 * No index has it.
 */
export function customColumn(attribute: Attribute): EmployeeColumn {
  const text = valueText(attribute);
  const { type } = attribute;
  const column = {
    type: type === 'number' ? 'numeric' : type === 'date' ? type : 'text',
    nullable: true,
  } as const;
  // Texts are ordered by code point, as those of the other columns.
  const name = Prisma.raw(column.type === 'text' ? `(${text} COLLATE "C")` : `${text}::${column.type}`);
  return { ...column, name, facets: null, order: columnOrder(name, column) };
}

/** SQL condition that the value of an attribute of several choices has a choice. */
export function hasChoice({ key }: Attribute, choice: string): Prisma.Sql {
  return Prisma.sql`custom -> ${Prisma.raw(pg.escapeLiteral(key))} @> to_jsonb(${choice}::text)`;
}

/** SQL expression for several choices, which an expression has as JSON, as text that separates them as files do. */
export function choicesText(json: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT string_agg(choice.value, '; ' ORDER BY choice.ordinality)
    FROM jsonb_array_elements_text(${json}::jsonb) WITH ORDINALITY AS choice)`;
}
