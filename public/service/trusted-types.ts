/** Addresses of our own worker files, as `require-trusted-types-for` demands. Make one per page: a policy's name is unique. */
export function createScriptAddress(): (file: string) => string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const own = (file: string): string => new URL(file, document.baseURI).href;
  const policy = trustedTypes?.createPolicy('console', {
    createScriptURL(file) {
      if (!/^[a-z]+\.worker\.js$/.test(file)) throw new TypeError(`${file} is no worker of the console.`);
      return own(file);
    },
  });
  return policy ? (file) => policy.createScriptURL(file) : own;
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(value: string): string },
  ): { createScriptURL(value: string): string };
}
