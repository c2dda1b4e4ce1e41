/** True for a name that announces a credential: `apiKey`, `X-Api-Key`, `client_secret`, `Authorization`, `apiKeyEnv`. */
export function looksSecret(name: string): boolean {
  return /api[-_]?key|private[-_]?key|access[-_]?key|token|secret|passw|passphrase|authorization|credential|cookie|signature/i.test(
    name,
  );
}
