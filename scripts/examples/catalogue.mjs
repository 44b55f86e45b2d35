/** Codes of the error catalogue that no operation has an example of, and the requests that cause them. */
export const catalogue = {
  'public-api-not-found': (world) => world.send('/v1/employees/'),
  request_header_fields_too_large: (world) =>
    world.send('/v1/employees', { headers: { 'x-large': 'x'.repeat(20_000) } }),
};
