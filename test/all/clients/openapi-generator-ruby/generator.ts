import type { Generator } from '../generator.js';
import { java, openapiGenerator } from '../openapi-generator.js';

const program = 'ruby';

export const openapiGeneratorRuby: Generator = {
  ...openapiGenerator,
  name: 'openapi-generator-ruby',
  command: [...openapiGenerator.command, '-g', 'ruby', '-p', 'gemName=people_api'],
  language: {
    program,
    args: ['program.rb'],
    environment: { RUBYLIB: 'generated/lib' },
    packages: ['ruby', 'ruby-typhoeus'],
  },
  requirements: [java, { program, args: ['-rtyphoeus', '-e', ''] }],
};
