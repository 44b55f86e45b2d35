import type { Contract, ProblemCode } from '../contract/contract.js';
import { Problem } from './problem.js';
import { type ProblemDocument, problemDocument } from './problem-document.js';

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
