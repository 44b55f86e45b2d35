import { Badge } from '../../../platform/pages/badge.js';
import type { DescribedMember } from '../reference/description.js';
import { Prose, Words } from './markdown.js';

type Row = Omit<DescribedMember, 'required'> & {
  readonly required?: boolean;
  /** Where a parameter is sent. */
  readonly place?: string;
  readonly example?: unknown;
};

/** Parameters, headers, or members of an object. */
export function Members({ rows }: { rows: readonly Row[] }) {
  return (
    <dl class="members">
      {rows.map(({ name, place, type, required = false, text, example }) => (
        <div key={`${place} ${name}`}>
          <dt>
            <code>{name}</code> {required && <Badge>required</Badge>}
          </dt>
          <dd>
            <p class="hint">
              {place !== undefined && `in ${placeName(place)}, `}
              <Words text={type} />
            </p>
            <Prose text={text} />
            {example !== undefined && (
              <p>
                Example: <code>{typeof example === 'string' ? example : JSON.stringify(example)}</code>
              </p>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function placeName(place: string): string {
  return place === 'header' ? 'the header' : `the ${place}`;
}
