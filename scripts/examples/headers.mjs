/** The recorded response and the response header from which the example of each header of the contract is taken. */
export const headers = {
  RequestId: ['EmployeeResponseExample', 'x-request-id'],
  NoStore: ['ClientCredentialsTokenResponseExample', 'cache-control'],
  CacheControl: ['JsonWebKeySetResponseExample', 'cache-control'],
  Location: ['ListReportResponseExample', 'location'],
  AllowOrigin: ['EmployeeResponseExample', 'access-control-allow-origin'],
  ExposeHeaders: ['EmployeeResponseExample', 'access-control-expose-headers'],
  ContentEtag: ['EmployeeResponseExample', 'etag'],
  Etag: ['ListReportResponseExample', 'etag'],
  Vary: ['GroupedReportCsvResponseExample', 'vary'],
  ContentDisposition: ['GroupedReportCsvResponseExample', 'content-disposition'],
  RateLimit: ['EmployeeResponseExample', 'ratelimit'],
  RateLimitPolicy: ['EmployeeResponseExample', 'ratelimit-policy'],
  RetryAfter: ['TooManyRequestsResponseExample', 'retry-after'],
  DpopNonce: ['UseDpopNonceResponseExample', 'dpop-nonce'],
  BearerChallenge: ['ReportsWriteScopeMissingResponseExample', 'www-authenticate'],
  BasicChallenge: ['TokenRevocationInvalidClientResponseExample', 'www-authenticate'],
};
