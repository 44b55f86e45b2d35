/** Records of a page when a request names neither a size nor a cursor. */
export const defaultPageSize = 50;

/** Most records of a page: the maximum of `page[size]` in the contract, and of the size in a cursor. */
export const maximumPageSize = 500;
