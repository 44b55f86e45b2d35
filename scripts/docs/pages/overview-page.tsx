import {
  contractFormats,
  Method,
  ReferencePage,
  readerDocuments,
} from '../../../src/features/documentation/frame.js';
import { WrappedUrl } from '../../../src/platform/pages/wrapped-text.js';
import {
  type Chapter,
  chaptersOf,
  operationsOf,
  rawOperation,
  slugOf,
  webhooksIn,
} from '../reference/nodes.js';
import { type ReferenceContext, renderContents } from './contents.js';
import { firstSentence, Prose } from './markdown.js';

/** The operations and webhooks of a chapter. */
export function OperationList({ context, chapter }: { context: ReferenceContext; chapter: Chapter }) {
  const { contract, links } = context;
  return (
    <ul class="operations">
      {operationsOf(contract, chapter).map((operation) => (
        <li key={operation.id} id={`/${chapter.name}/${operation.id}`.toLowerCase()}>
          <a href={links.operation(operation.id)}>{rawOperation(contract, operation).summary}</a>{' '}
          <span>
            <Method name={operation.method} />{' '}
            <code>
              <WrappedUrl url={operation.path} />
            </code>
          </span>
        </li>
      ))}
      {webhooksIn(contract, chapter).map(([name, { summary }]) => (
        <li key={name}>
          <a href={links.webhook(name)}>{summary}</a>{' '}
          <span>
            <Method name="webhook" /> <code>{name}</code>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Three ways to begin, each with the guide that has its steps. */
function Beginnings({ links }: ReferenceContext) {
  return (
    <section id="begin">
      <h2>Where do you want to begin?</h2>
      <ul class="beginnings">
        <li>
          <h3>
            <a href={links.guide('Getting started')}>Call the API in five minutes</a>
          </h3>
          <p>Paste four commands: get a token, read the employees and their next page.</p>
        </li>
        <li>
          <h3>
            <a href={links.guide('Authentication')}>Let users sign in with OAuth</a>
          </h3>
          <p>Send users to the consent screen, and act on their behalf with the token that you receive.</p>
        </li>
        <li>
          <h3>
            <a href={links.guide('Webhooks')}>Receive events</a>
          </h3>
          <p>
            Get every change of an employee or a report at your server, or{' '}
            <a href={links.guide('Events')}>read the feed of events</a>.
          </p>
        </li>
      </ul>
    </section>
  );
}

/**
 * `/docs`: three ways to begin, the introduction of the contract, all chapters and all operations. Their ids are the fragments with which the
 * texts of the contract name them.
 */
export function OverviewPage({ context }: { context: ReferenceContext }) {
  const { contract, links } = context;
  const { title, version, description } = contract.document.info as Readonly<Record<string, string>>;
  const chapters = chaptersOf(contract);
  const hasOperations = (chapter: (typeof chapters)[number]) =>
    operationsOf(contract, chapter).length + webhooksIn(contract, chapter).length > 0;
  return (
    <ReferencePage
      contents={renderContents(context)}
      title={`${title}`}
      description={firstSentence(description ?? '')}
      markdown="/llms.txt"
    >
      <h1>{title}</h1>
      <p class="hint">Version {version}</p>
      <Beginnings {...context} />
      <Prose text={links.rewriteLinks(description ?? '')} />
      <section id="guides">
        <h2>Guides</h2>
        <ul>
          {chapters
            .filter((chapter) => !hasOperations(chapter))
            .map(({ name }) => (
              <li key={name} id={`/${slugOf(name)}`}>
                <a href={links.guide(name)}>{name}</a>
              </li>
            ))}
        </ul>
      </section>
      {chapters.filter(hasOperations).map((chapter) => (
        <section key={chapter.name} id={`/${slugOf(chapter.name)}`}>
          <h2>
            <a href={links.guide(chapter.name)}>{chapter.name}</a>
          </h2>
          <OperationList context={context} chapter={chapter} />
        </section>
      ))}
      <section id="documents">
        <h2>Other documents</h2>
        <dl class="members">
          {[...contractFormats, ...readerDocuments].map(({ path, title, description }) => (
            <div key={path}>
              <dt>
                <a href={path}>{title}</a>
              </dt>
              <dd>{description}</dd>
            </div>
          ))}
        </dl>
      </section>
    </ReferencePage>
  );
}
