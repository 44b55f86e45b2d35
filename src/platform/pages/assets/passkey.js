// Buttons that create or use a passkey. Without this script, or in browsers without passkeys, they stay hidden.
const creates = globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON;
const uses = globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON;

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const { passkey: kind, options } = form.dataset;
  if (kind === 'create' ? creates === undefined : uses === undefined) continue;
  const status = form.querySelector('[role=status]');
  document.getElementById('no-passkey')?.remove();
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    status.textContent = 'Follow the instructions of your browser.';
    try {
      const credential = await ask(kind, JSON.parse(options));
      form.elements.credential.value = JSON.stringify(credential);
      form.submit();
    } catch (error) {
      status.textContent =
        error.name === 'InvalidStateError'
          ? 'This device already has a passkey for you.'
          : 'No passkey was used. Try again, or choose another way.';
    }
  });
}

function ask(kind, options) {
  return kind === 'create'
    ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
}
