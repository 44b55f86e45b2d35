// Writes the documents that the server publishes into dist/documents, and the index of their search into dist/docs.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { documentsDirectory } from '../../src/features/documentation/documents.js';
import { searchIndexFile } from '../../src/features/documentation/search.js';
import { loadContract } from '../../src/platform/contract/contract.js';
import { changelogDocuments } from './changelog.js';
import { contractDocuments } from './contract-documents.js';
import { markdownDocuments } from './markdown/documents.js';
import { errorPages } from './pages/error-pages.js';
import { referencePages } from './pages/reference-pages.js';
import { searchIndex } from './search-index.js';

const contract = loadContract();
const documents = [
  ...contractDocuments(contract),
  ...markdownDocuments(contract),
  ...referencePages(contract),
  ...errorPages(contract),
  ...changelogDocuments(contract),
];
// A running server may read the directory.
const written = `${documentsDirectory}.new`;
rmSync(written, { recursive: true, force: true });
for (const [name, text] of documents) {
  const file = path.join(written, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
rmSync(documentsDirectory, { recursive: true, force: true });
renameSync(written, documentsDirectory);
// Last, because the build compares its time with those of the sources.
writeFileSync(searchIndexFile, JSON.stringify(searchIndex(contract)));
