import type { Generator } from '../generator.js';
import { java, openapiGenerator } from '../openapi-generator.js';

// The Python of the Debian packages that the client imports.
const program = '/usr/bin/python3';

export const openapiGeneratorPython: Generator = {
  ...openapiGenerator,
  name: 'openapi-generator-python',
  command: [...openapiGenerator.command, '-g', 'python', '-p', 'packageName=people_api'],
  language: {
    program,
    args: ['program.py'],
    environment: { PYTHONPATH: 'generated' },
    packages: ['python3-certifi', 'python3-dateutil', 'python3-six', 'python3-urllib3'],
  },
  requirements: [java, { program, args: ['-c', 'import certifi, dateutil, six, urllib3'] }],
};
