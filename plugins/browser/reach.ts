/** Which addresses may be reached: the policy of `web_fetch`, provided by the plugin core-tools. */
export interface WebReach {
  /**
   * Resolves a URL once and checks all of its addresses, to which connections are then made. Rejects with an error that
   * says what is wrong with it.
   * @param approvedUrl what a person approved; a private host must be the one that it names
   * @param ownPorts more ports of this machine that are never reached
   */
  check(
    url: string,
    options: { approvedUrl?: string | undefined; ownPorts?: readonly number[] },
  ): Promise<{ url: URL; addresses: { address: string; family: number }[] }>;
}
