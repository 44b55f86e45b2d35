/** A client generator and its command. Each folder of `test/all/clients` has one, and a program that uses its client. */
export interface Generator {
  /** The folder. */
  readonly name: string;
  /** The npm package of the generator. */
  readonly package: string;
  /** The npm packages that the configuration file of the generator imports. */
  readonly configuration?: readonly string[];
  /** The npm packages that the generated client imports. */
  readonly runtime: readonly string[];
  /** The document that it reads. */
  readonly document: 'v1.json' | 'v1-3.0.json';
  /** The command after `npx`, in a folder with the document. */
  readonly command: readonly [string, ...string[]];
  /** The file that the standard output of the command is written to. */
  readonly output?: string;
  /** The program with the client. TypeScript unless another language is named. */
  readonly language?: Language;
  /** Commands that succeed if the generator and its program can run. */
  readonly requirements?: readonly Requirement[];
}

export interface Requirement {
  readonly program: string;
  readonly args: readonly string[];
}

/** The command that runs a program in another language than TypeScript, in its folder. */
export interface Language {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The Debian packages that the client needs. */
  readonly packages: readonly string[];
}
