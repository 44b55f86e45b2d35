module.exports = {
  schemaFile: './v1.json',
  apiFile: './base-api.ts',
  exportName: 'peopleApi',
  outputFile: './generated/people-api.ts',
  // The other filters are grouped in an object of the same name.
  endpointOverrides: [
    { pattern: 'listEmployees', parameterFilter: (_, parameter) => !('x-member-name' in parameter) },
  ],
};
