import type { DescribedContent, DescribedResponse, Description } from '../reference/description.js';
import { Prose, Words } from './markdown.js';
import { Members } from './members.js';

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
