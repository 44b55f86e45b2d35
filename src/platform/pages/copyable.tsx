/** A value with a button that copies it. The page loads the script. */
export function Copyable({ id, label, value }: { id: string; label: string; value: string }) {
  return (
    <div class="copyable">
      <h2 id={`${id}-label`}>{label}</h2>
      <code id={id}>{value}</code>
      <button
        type="button"
        class="quiet"
        hidden
        data-copies={id}
        data-label={label}
        aria-describedby={`${id}-label`}
      >
        Copy
      </button>
    </div>
  );
}
