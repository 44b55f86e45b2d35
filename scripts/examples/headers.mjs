/** The response whose header is the example of each header of the contract: the name of its recording, and the header. */
export const headers = {
  RequestId: ['EmployeeResponseExample', 'x-request-id'],
  NoStore: ['ClientCredentialsTokenResponseExample', 'cache-control'],
  CacheControl: ['JsonWebKeySetResponseExample', 'cache-control'],
  Location: ['ListReportResponseExample', 'location'],
  Etag: ['ListReportResponseExample', 'etag'],
  Vary: ['GroupedReportCsvResponseExample', 'vary'],
  ContentDisposition: ['GroupedReportCsvResponseExample', 'content-disposition'],
  RateLimit: ['EmployeeResponseExample', 'ratelimit'],
  RateLimitPolicy: ['EmployeeResponseExample', 'ratelimit-policy'],
  RetryAfter: ['TooManyRequestsResponseExample', 'retry-after'],
  BearerChallenge: ['ReportsWriteScopeMissingResponseExample', 'www-authenticate'],
  BasicChallenge: ['TokenRevocationInvalidClientResponseExample', 'www-authenticate'],
};
