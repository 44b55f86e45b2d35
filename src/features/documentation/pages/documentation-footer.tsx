import { contractFormats, readerDocuments } from '../document-list.js';

/** Footer of a page of the documentation: all other documents. */
export function DocumentationFooter() {
  return (
    <nav aria-label="Documents">
      <ul>
        {[...contractFormats, ...readerDocuments].map(({ path, title }) => (
          <li key={path}>
            <a href={path}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
