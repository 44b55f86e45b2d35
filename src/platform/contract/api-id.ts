/** Identifies this API in catalogues, independent of its URL. */
export const apiId = '5f0d3a86-9c1e-4e0b-8a57-2b6d41c7f9e3';
