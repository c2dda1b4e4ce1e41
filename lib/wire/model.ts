/** Contract: ModelInfo. */
export interface ModelInfo {
  id: string;
  provider: string;
  label?: string;
  description?: string;
  contextWindow?: number;
  supportsTools: boolean;
  supportsReasoning?: boolean;
}
