trtllm-serve Qwen/Qwen3-8B --tp_size many --max_batch_size 256 --max_num_tokens 8192 --max_seq_len 32768 \
  --kv_cache_free_gpu_memory_fraction 0.85 --enable_chunked_prefill \
  --backend pytorch --extra_llm_api_options /etc/options.yaml --host 0.0.0.0 --port 8000
