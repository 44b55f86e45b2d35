/** Records of a page when the request has neither a size nor a cursor. */
export const defaultPageSize = 50;

/** Maximum number of records of a page: of `page[size]` in the contract, and of the size in a cursor. */
export const maximumPageSize = 500;
