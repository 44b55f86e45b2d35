import { DocumentationFooter, DocumentationHeader } from '../../../src/features/documentation/frame.js';
import type { Contract, ProblemCode, ProblemKind } from '../../../src/platform/contract/contract.js';
import { type Column, DataTable } from '../../../src/platform/pages/data-table.js';
import { Layout, renderPage } from '../../../src/platform/pages/layout.js';
import {
  Problem,
  type ProblemDocument,
  problemDocument,
  problemSlug,
} from '../../../src/platform/problems/problem.js';

/**
 * Example problem document with this code, from the contract.
 *
 * @throws {Error} when the contract has no example with this code
 */
export function exampleProblem({ document, problems }: Contract, code: ProblemCode): ProblemDocument {
  const { examples, headers } = document.components;
  const found = Object.values(examples).find(
    ({ value }) => (value as { code?: unknown } | null)?.code === code,
  );
  if (found !== undefined) return found.value as ProblemDocument;

  const { example } = problems[code];
  if (example === undefined) throw new Error(`The contract has no example with the code ${code}`);
  const errorsUrl = `${document.servers[0].url}/errors`;
  const context = { problems, errorsUrl, instance: example.instance, requestId: headers.RequestId.example };
  return problemDocument(new Problem(code, example.detail), context);
}

type Row = readonly [ProblemCode, ProblemKind];

/** The list of errors, and the page of each error, which is the `type` of its problem documents, by path. */
export function errorPages(contract: Contract): Map<string, string> {
  const kinds = Object.entries(contract.problems) as Row[];
  return new Map([
    ['/errors.html', renderPage(<ErrorIndex kinds={kinds} />)],
    ...kinds.map(([code, kind]) => {
      const example = JSON.stringify(exampleProblem(contract, code), null, 2);
      const page = <ErrorPage code={code} kind={kind} example={example} />;
      return [`/errors/${problemSlug(code)}.html`, renderPage(page)] as const;
    }),
  ]);
}

const columns: readonly Column<Row>[] = [
  {
    label: 'Code',
    cell: ([code]) => (
      <a class="whole" href={`/errors/${problemSlug(code)}`}>
        <code>{code}</code>
      </a>
    ),
  },
  { label: 'Status', cell: ([, { status }]) => status },
  {
    label: 'What happened',
    cell: ([, { description }]) => <Prose text={description} />,
  },
];

function ErrorIndex({ kinds }: { kinds: readonly Row[] }) {
  return (
    <Layout
      title="Errors"
      header={<DocumentationHeader current="/errors" />}
      footer={<DocumentationFooter />}
    >
      <h1>Errors</h1>
      <p>
        Every error of the API is a problem document (RFC 9457). Its <code>code</code> is one of these, and
        its <code>type</code> is the address of the page that describes it. See also{' '}
        <a href="/docs/guides/errors">Errors in the reference</a>.
      </p>
      <DataTable caption="Errors of the API" columns={columns} rows={kinds} />
    </Layout>
  );
}

function ErrorPage({ code, kind, example }: { code: ProblemCode; kind: ProblemKind; example: string }) {
  return (
    <Layout
      title={kind.title}
      header={<DocumentationHeader current="/errors" />}
      footer={<DocumentationFooter />}
    >
      <nav class="crumbs" aria-label="Breadcrumbs">
        <ol>
          <li>
            <a href="/errors">Errors</a>
          </li>
          <li aria-current="page">{kind.title}</li>
        </ol>
      </nav>
      <h1>{kind.title}</h1>
      <p>
        Code <code>{code}</code>, HTTP status {kind.status}
      </p>
      <h2>What happened</h2>
      <p>
        <Prose text={kind.description} />
      </p>
      <h2>Causes</h2>
      <ul>
        {kind.causes.map((cause) => (
          <li key={cause}>
            <Prose text={cause} />
          </li>
        ))}
      </ul>
      <h2>What to do</h2>
      <p>
        <Prose text={kind.resolution} />
      </p>
      <p>
        The <code>detail</code> of the response describes your case. Quote its <code>request_id</code> when
        you contact support.
      </p>
      <h2>Example</h2>
      <pre class="example">
        <code>{example}</code>
      </pre>
    </Layout>
  );
}

/** Text of the contract; backticks mark code. */
function Prose({ text }: { text: string }) {
  return (
    <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}</>
  );
}
