import type { Generator } from '../generator.js';

export const rtkQuery: Generator = {
  name: 'rtk-query',
  package: '@rtk-query/codegen-openapi',
  runtime: ['@reduxjs/toolkit'],
  document: 'v1.json',
  command: ['rtk-query-codegen-openapi', 'codegen.cjs'],
};
