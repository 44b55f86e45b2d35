import type { DescribedSchema } from '../reference/description.js';
import { Prose, Words } from './markdown.js';
import { Members } from './members.js';

/** The named schemas of an operation. Types link to them. */
export function Schemas({ schemas }: { schemas: readonly DescribedSchema[] }) {
  if (schemas.length === 0) return null;
  return (
    <section id="schemas">
      <h2>Schemas</h2>
      {schemas.map(({ name, text, type, members }) => (
        <section key={name} id={name.toLowerCase()}>
          <h3>{name}</h3>
          <Prose text={text} />
          {type !== '' && (
            <p>
              Type: <Words text={type} />
            </p>
          )}
          {members.length > 0 && <Members rows={members} />}
        </section>
      ))}
    </section>
  );
}
