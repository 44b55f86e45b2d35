import { encode } from 'uqr';

/** Modules of white around a QR code. @see ISO/IEC 18004 */
const border = 4;

/** A text as QR code, dark on light in both colour schemes: many cameras do not read inverted codes. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { border });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" role="img" viewBox={`0 0 ${size} ${size}`} width="220" height="220">
      <title>{label}</title>
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
