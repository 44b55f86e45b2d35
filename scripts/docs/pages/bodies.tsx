import { Badge } from '../../../src/platform/pages/badge.js';
import type {
  DescribedContent,
  DescribedMember,
  DescribedResponse,
  DescribedSchema,
  Description,
} from '../reference/description.js';
import { Prose, Words } from './markdown.js';

type Row = Omit<DescribedMember, 'required'> & {
  readonly required?: boolean;
  /** Where a parameter is sent. */
  readonly place?: string;
  readonly example?: unknown;
};

/** Parameters, headers, or members of an object. */
function Members({ rows }: { rows: readonly Row[] }) {
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

/** Parameters, bodies and responses. */
export function RequestAndResponses({ parameters, body, successes }: Description) {
  return (
    <>
      {parameters.length > 0 && (
        <section id="parameters">
          <h2>Parameters</h2>
          <Members rows={parameters} />
        </section>
      )}
      {body !== undefined && <RequestBody body={body} />}
      {successes.map((response) => (
        <Success key={response.status} response={response} />
      ))}
    </>
  );
}

function RequestBody({ body }: { body: NonNullable<Description['body']> }) {
  return (
    <section id="request-body">
      <h2>Request body</h2>
      <Prose text={`${body.required ? 'Required.' : 'Optional.'} ${body.text}`.trim()} />
      <Contents contents={body.contents} />
    </section>
  );
}

/** A response that is not an error. */
function Success({ response: { status, text, headers, contents } }: { response: DescribedResponse }) {
  return (
    <section id={`response-${status}`}>
      <h2>Response {status}</h2>
      <Prose text={text} />
      <Contents contents={contents} />
      {headers.length > 0 && (
        <details>
          <summary>Headers of the response {status}</summary>
          <Members rows={headers} />
        </details>
      )}
    </section>
  );
}

function Contents({ contents }: { contents: readonly DescribedContent[] }) {
  return (
    <>
      {contents.map(({ mediaType, type, examples }) => (
        <div key={mediaType}>
          <p>
            <code>{mediaType}</code>: <Words text={type} />
          </p>
          {examples.map(({ title, source }) => (
            <details key={title}>
              <summary>Example: {title}</summary>
              <pre>
                <code>{source}</code>
              </pre>
            </details>
          ))}
        </div>
      ))}
    </>
  );
}
