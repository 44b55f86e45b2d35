import { Fragment } from 'preact';

/** A URL or a path as text, which is wrapped before a slash of its path when it does not fit its line. */
export function WrappedUrl({ url }: { url: string }) {
  return (
    <>
      {url.split(/(?<=[^/])(?=\/[^/])/).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}

/** An e-mail address that may be wrapped before its domain. */
export function Email({ address }: { address: string }) {
  const [name, ...domain] = address.split('@');
  return (
    <>
      {name}
      {domain.length > 0 && (
        <>
          <wbr />@{domain.join('@')}
        </>
      )}
    </>
  );
}
