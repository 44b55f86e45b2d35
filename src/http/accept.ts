/** Whether an Accept header names exactly this media type; a wildcard does not count. */
export function accepts(header: string | undefined, mediaType: string): boolean {
  return (header ?? '').split(',').some((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return name === mediaType && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
