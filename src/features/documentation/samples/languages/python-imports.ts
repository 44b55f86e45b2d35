/** Collects the imports of a Python script. */
export class PythonImports {
  readonly #modules = new Set<string>();
  readonly #names = new Map<string, Set<string>>();

  addModule(module: string): void {
    this.#modules.add(module);
  }

  addName(module: string, name: string): void {
    this.#names.set(module, (this.#names.get(module) ?? new Set()).add(name));
  }

  /** The statements: modules first, each group in alphabetical order. */
  text(): string {
    const modules = [...this.#modules].sort().map((module) => `import ${module}\n`);
    const names = [...this.#names]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([module, names]) => `from ${module} import ${[...names].sort().join(', ')}\n`);
    return [...modules, ...names].join('');
  }
}
