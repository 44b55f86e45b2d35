import type { Contract, Operation } from '../../../src/platform/contract/contract.js';
import { curl } from './languages/curl.js';
import { go } from './languages/go.js';
import { java } from './languages/java.js';
import { javascript } from './languages/javascript.js';
import { python } from './languages/python.js';
import { ruby } from './languages/ruby.js';
import { requestOf, type SampleRequest } from './request.js';

/** A program that calls an operation. */
export interface Sample {
  readonly label: 'curl' | 'JavaScript' | 'Python' | 'Ruby' | 'Java' | 'Go';
  /** Name of the language for a fenced block of code. */
  readonly language: string;
  readonly source: string;
}

const languages: readonly {
  readonly label: Sample['label'];
  readonly language: string;
  readonly write: (request: SampleRequest) => string;
}[] = [
  { label: 'curl', language: 'sh', write: curl },
  { label: 'JavaScript', language: 'js', write: javascript },
  { label: 'Python', language: 'python', write: python },
  { label: 'Ruby', language: 'ruby', write: ruby },
  { label: 'Java', language: 'java', write: java },
  { label: 'Go', language: 'go', write: go },
];

/** Writes a program in each language that sends the request which the contract describes. */
export function samplesOf(contract: Contract, operation: Operation): readonly Sample[] {
  return samplesOfRequest(requestOf(contract, operation));
}

/** Writes the programs that send a request. */
export function samplesOfRequest(request: SampleRequest): readonly Sample[] {
  return languages.map(({ label, language, write }) => ({ label, language, source: write(request) }));
}
